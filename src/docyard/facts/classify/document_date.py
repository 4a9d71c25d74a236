"""The date that a document bears, by the rules of its type; none where it bears none that is clear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docyard.facts.fields import fields_of
from docyard.facts.fields.layout.rows import Row, rows_of
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.date_labels import (
    announces_meeting,
    announces_other_date,
    is_own_date,
    is_own_date_label,
)
from docyard.facts.notation.dates import WrittenDate, find_dates
from docyard.model.text.pages import Page

# Where the fields of a type say which of its dates is the document's own.
_OWN = {
    "invoice": ("date",),
    "receipt": ("date",),
    "purchase_order": ("date",),
    "contract": ("agreement_date", "effective_date"),
    "court_opinion": ("date",),
    "filing": ("date",),
    "email": ("date",),
    "work_order": ("date",),
}
_UNDATED = ("court_list", "spreadsheet", "manual", "presentation")
_HEAD_CHARS, _FIRST_PAGES, _HEAD_ROWS, _WORDS_BEFORE = 700, 3, 30, 40


def date_of(kind: str | None, pages: Sequence[Page], conventions: Conventions) -> str | None:
    """The day as 2026-11-15."""
    first = pages[:_FIRST_PAGES]
    if kind in _OWN:
        found = {field.name: field.normal for field in reversed(fields_of(kind, first, conventions))}
        return next((found[name] for name in _OWN[kind] if _is_day(found.get(name))), None)
    if kind in _UNDATED or not pages:
        return None
    if kind == "minutes" and (held := _held(first[0].text[:_HEAD_CHARS], conventions)):
        return held
    own = next(_own_days(rows_of(first[:1])[:_HEAD_ROWS], conventions), None)
    return own or _only_day(first[0].text[:_HEAD_CHARS], conventions)


def _own_days(rows: Sequence[Row], conventions: Conventions) -> Iterator[str]:
    """Days on lines of their own or after the word for a date, as letters and reports have them at the top;
    a list of what was done when has them too, so days right below each other are none."""
    found = [
        (number, dated.iso)
        for number, row in enumerate(rows)
        for place, cell in enumerate(row.cells)
        for dated in find_dates(cell.text, conventions)
        if _is_own(row, place, dated)
    ]
    numbers = {number for number, _ in found}
    yield from (iso for number, iso in found if not {number - 1, number + 1} & numbers)


def _is_own(row: Row, place: int, dated: WrittenDate) -> bool:
    cell = row.cells[place]
    before, after = cell.text[: dated.start], cell.text[dated.end :]
    if before.strip() or len(row.cells) == 1:
        return is_own_date(before, after)
    if place and is_own_date_label(row.cells[place - 1].text):
        return True
    # Beside an address; where more stands beside it, it is one of a table.
    return len(row.cells) == 2 and place == 1 and is_own_date(before, after)


def _held(head: str, conventions: Conventions) -> str | None:
    """The day of the meeting itself: "Meeting of …", "Sitzung vom …"."""
    days = find_dates(head, conventions)
    before = ((each, head[max(each.start - 90, 0) : each.start].rpartition("\n")[2]) for each in days)
    return next((each.iso for each, words in before if announces_meeting(words)), None)


def _only_day(head: str, conventions: Conventions) -> str | None:
    """The one day that is named, unless the words before it say that it is the day of something else."""
    dates = find_dates(head, conventions)
    if len({each.iso for each in dates}) != 1:
        return None
    before = (head[max(each.start - _WORDS_BEFORE, 0) : each.start] for each in dates)
    return None if any(map(announces_other_date, before)) else dates[0].iso


def _is_day(normal: str | None) -> bool:
    return normal is not None and bool(find_dates(normal)) and len(normal) == 10
