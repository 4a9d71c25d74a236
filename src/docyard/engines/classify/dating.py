"""The date that a document bears, by the rules of its type; none where it bears none that is clear."""

from __future__ import annotations

from collections.abc import Sequence

from docyard.engines.fields import fields_of
from docyard.engines.fields.dates import dates_in
from docyard.engines.fields.invoice import writes_day_first
from docyard.model.pages import Page

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
_HEAD_CHARS, _FIRST_PAGES = 700, 3


def date_of(kind: str | None, pages: Sequence[Page], language: str | None) -> str | None:
    """The day as 2026-11-15."""
    first = pages[:_FIRST_PAGES]
    if kind in _OWN:
        found = {field.name: field.normal for field in reversed(fields_of(kind, first, language))}
        return next((found[name] for name in _OWN[kind] if _is_day(found.get(name))), None)
    if kind in _UNDATED or not pages:
        return None
    head = first[0].text[:_HEAD_CHARS]
    dates = dates_in(head, day_first=writes_day_first(first[0].text, language))
    return dates[0].iso if len({each.iso for each in dates}) == 1 else None


def _is_day(normal: str | None) -> bool:
    return normal is not None and bool(dates_in(normal)) and len(normal) == 10
