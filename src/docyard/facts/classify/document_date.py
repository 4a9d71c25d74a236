"""The document's own date, chosen by the rules of its type; None if no date is clearly its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docyard.facts.fields import read_fields
from docyard.facts.fields.layout.rows import Row, read_rows
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.date_labels import announces_meeting, announces_other_date, is_own_date, is_own_date_label
from docyard.facts.notation.dates import WrittenDate, find_dates
from docyard.model.text.pages import Page

# Fields that state the document's own date, by type and in order of preference.
_DATE_FIELDS = {
    "invoice": ("date",),
    "receipt": ("date",),
    "purchase_order": ("date",),
    "contract": ("agreement_date", "effective_date"),
    "court_opinion": ("date",),
    "filing": ("date",),
    "email": ("date",),
    "work_order": ("date",),
}
_UNDATED_TYPES = ("court_list", "spreadsheet", "manual", "presentation")
_TOP_CHARS, _FIRST_PAGES, _TOP_ROWS, _CONTEXT_CHARS = 700, 3, 30, 40


def choose_date(kind: str | None, pages: Sequence[Page], conventions: Conventions) -> str | None:
    """Return the document's own date as 2026-11-15, or None."""
    first = pages[:_FIRST_PAGES]
    if kind in _DATE_FIELDS:
        values = {field.name: field.normal for field in reversed(read_fields(kind, first, conventions))}
        return next((values[name] for name in _DATE_FIELDS[kind] if _is_full_date(values.get(name))), None)
    if kind in _UNDATED_TYPES or not pages:
        return None
    if kind == "minutes" and (meeting_date := _find_meeting_date(first[0].text[:_TOP_CHARS], conventions)):
        return meeting_date
    own = next(_find_own_dates(read_rows(first[:1])[:_TOP_ROWS], conventions), None)
    return own or _find_only_date(first[0].text[:_TOP_CHARS], conventions)


def _find_own_dates(rows: Sequence[Row], conventions: Conventions) -> Iterator[str]:
    """Yield dates on a line of their own or after a date label, as at the top of letters and reports.

    Dates in adjacent rows are skipped, because they belong to a list of events.
    """
    dates = [
        (number, dated.iso)
        for number, row in enumerate(rows)
        for column, cell in enumerate(row.cells)
        for dated in find_dates(cell.text, conventions)
        if _is_documents_own(row, column, dated)
    ]
    numbers = {number for number, _ in dates}
    yield from (iso for number, iso in dates if not {number - 1, number + 1} & numbers)


def _is_documents_own(row: Row, column: int, dated: WrittenDate) -> bool:
    cell = row.cells[column]
    before, after = cell.text[: dated.start], cell.text[dated.end :]
    if before.strip() or len(row.cells) == 1:
        return is_own_date(before, after)
    if column and is_own_date_label(row.cells[column - 1].text):
        return True
    # In a row of two cells, the first may be an address and the second the date of the document. A row with
    # more cells belongs to a table.
    return len(row.cells) == 2 and column == 1 and is_own_date(before, after)


def _find_meeting_date(top: str, conventions: Conventions) -> str | None:
    """Return the date of the meeting itself: "Meeting of …", "Sitzung vom …"."""
    dates = find_dates(top, conventions)
    announced = ((each, top[max(each.start - 90, 0) : each.start].rpartition("\n")[2]) for each in dates)
    return next((each.iso for each, words in announced if announces_meeting(words)), None)


def _find_only_date(top: str, conventions: Conventions) -> str | None:
    """Return the only date in the text, unless the words before it announce the date of something else."""
    dates = find_dates(top, conventions)
    if len({each.iso for each in dates}) != 1:
        return None
    before = (top[max(each.start - _CONTEXT_CHARS, 0) : each.start] for each in dates)
    return None if any(map(announces_other_date, before)) else dates[0].iso


def _is_full_date(normal: str | None) -> bool:
    return normal is not None and bool(find_dates(normal)) and len(normal) == 10
