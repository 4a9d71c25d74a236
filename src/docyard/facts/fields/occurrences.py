"""Search of a document's text for a value that a user has typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from docyard.facts.fields.user_values import is_amount_field, is_date_field, normalise_value
from docyard.facts.notation.amounts import find_amounts
from docyard.facts.notation.dates import find_dates
from docyard.model.facts import Span


def find_occurrences(name: str, value: str, texts: Iterable[tuple[int, str]], limit: int) -> list[Span]:
    """Return up to `limit` spans that state this value in any notation; `texts` has (page, text) pairs."""
    pattern, normal = _make_pattern(value), normalise_value(name, value)
    found: list[Span] = []
    for page, text in texts:
        ranges = {*_find_literal(pattern, text), *_find_equal(name, normal, text)}
        found += [Span(page, start, end) for start, end in _drop_overlaps(sorted(ranges))]
        if len(found) >= limit:
            break
    return found[:limit]


def normalise_at_span(name: str, value: str, text: str, span: Span) -> str | None:
    """Return the normal form of the text in a span; None if the span is not an occurrence of this value."""
    if span not in find_occurrences(name, value, [(span.page, text)], len(text)):
        return None
    if is_amount_field(name) or is_date_field(name):
        return normalise_value(name, value)
    return normalise_value(name, " ".join(text[span.start : span.end].split()))


def _make_pattern(value: str) -> re.Pattern[str]:
    """Return a pattern for the words of a value, ignoring case and line breaks, as whole words."""
    words = r"\s+".join(re.escape(word) for word in value.split())
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def _find_literal(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in pattern.finditer(text))


def _find_equal(name: str, normal: str, text: str) -> Iterator[tuple[int, int]]:
    if is_amount_field(name):
        yield from ((each.start, each.end) for each in find_amounts(text) if each.normal == normal)
    elif is_date_field(name):
        yield from ((each.start, each.end) for each in find_dates(text) if not each.swappable and each.iso == normal)


def _drop_overlaps(ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the ranges without those that overlap an earlier one."""
    previous_end = -1
    for start, end in ranges:
        if start >= previous_end:
            yield start, end
            previous_end = end
