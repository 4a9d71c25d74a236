"""The date that a document bears, by the rules of its type; none where it bears none that is clear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docyard.facts.fields import fields_of
from docyard.facts.fields.date_lines import dates_document, is_date_label, is_meeting, is_other
from docyard.facts.fields.dates import Dated, dates_in
from docyard.facts.fields.invoice.invoice import writes_day_first
from docyard.facts.fields.layout.rows import Row, rows_of
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


def date_of(kind: str | None, pages: Sequence[Page], language: str | None) -> str | None:
    """The day as 2026-11-15."""
    first = pages[:_FIRST_PAGES]
    if kind in _OWN:
        found = {field.name: field.normal for field in reversed(fields_of(kind, first, language))}
        return next((found[name] for name in _OWN[kind] if _is_day(found.get(name))), None)
    if kind in _UNDATED or not pages:
        return None
    day_first = writes_day_first(first[0].text, language)
    if kind == "minutes" and (held := _held(first[0].text[:_HEAD_CHARS], day_first=day_first)):
        return held
    own = next(_own_days(rows_of(first[:1])[:_HEAD_ROWS], day_first=day_first), None)
    return own or _only_day(first[0].text[:_HEAD_CHARS], day_first=day_first)


def _own_days(rows: Sequence[Row], *, day_first: bool) -> Iterator[str]:
    """Days on lines of their own or after the word for a date, as letters and reports have them at the top;
    a list of what was done when has them too, so days right below each other are none."""
    found = [
        (number, dated.iso)
        for number, row in enumerate(rows)
        for place, cell in enumerate(row.cells)
        for dated in dates_in(cell.text, day_first=day_first)
        if _is_own(row, place, dated)
    ]
    numbers = {number for number, _ in found}
    yield from (iso for number, iso in found if not {number - 1, number + 1} & numbers)


def _is_own(row: Row, place: int, dated: Dated) -> bool:
    cell = row.cells[place]
    before, after = cell.text[: dated.start], cell.text[dated.end :]
    if before.strip() or len(row.cells) == 1:
        return dates_document(before, after)
    if place and is_date_label(row.cells[place - 1].text):
        return True
    # Beside an address; where more stands beside it, it is one of a table.
    return len(row.cells) == 2 and place == 1 and dates_document(before, after)


def _held(head: str, *, day_first: bool) -> str | None:
    """The day of the meeting itself: "Meeting of …", "Sitzung vom …"."""
    days = dates_in(head, day_first=day_first)
    before = ((each, head[max(each.start - 90, 0) : each.start].rpartition("\n")[2]) for each in days)
    return next((each.iso for each, words in before if is_meeting(words)), None)


def _only_day(head: str, *, day_first: bool) -> str | None:
    """The one day that is named, unless the words before it say that it is the day of something else."""
    dates = dates_in(head, day_first=day_first)
    if len({each.iso for each in dates}) != 1:
        return None
    before = (head[max(each.start - _WORDS_BEFORE, 0) : each.start] for each in dates)
    return None if any(map(is_other, before)) else dates[0].iso


def _is_day(normal: str | None) -> bool:
    return normal is not None and bool(dates_in(normal)) and len(normal) == 10
