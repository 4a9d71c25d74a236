"""Mentions of dates."""

from __future__ import annotations

from collections.abc import Iterator

from docyard.facts.entities.spans import NamedSpan
from docyard.facts.notation.conventions import Conventions, OrderEvidence
from docyard.facts.notation.dates import WrittenDate, find_dates, find_months

_WRITTEN_OUT, _NUMERIC, _GUESSED, _MONTH_ONLY, _SHORT_YEAR = 0.98, 0.93, 0.7, 0.9, 0.125


def find_date_mentions(text: str, conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield all dates; their normal form is 2026-11-15, or 2026-11 without a day."""
    found = find_dates(text, conventions)
    for each in found:
        yield NamedSpan("date", each.start, each.end, each.iso, _rate(each, conventions))
    for each in find_months(text, found, conventions):
        yield NamedSpan("date", each.start, each.end, each.iso, _MONTH_ONLY)


def _rate(each: WrittenDate, conventions: Conventions) -> float:
    """Return the confidence of a date; it is lower for ambiguous numeric dates and two-digit years."""
    if not each.mark:
        return _WRITTEN_OUT
    unambiguous = not each.swappable or each.mark == "." or conventions.order > OrderEvidence.REGION
    return (_NUMERIC if unambiguous else _GUESSED) - (_SHORT_YEAR if each.short_year else 0.0)
