"""Occurrences of a person's value in the text of a document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from docyard.facts.fields.user_values import is_amount, is_day, normal_of
from docyard.facts.notation.amounts import find_amounts
from docyard.facts.notation.dates import find_dates
from docyard.model.facts import Span


def occurrences(name: str, value: str, texts: Iterable[tuple[int, str]], most: int) -> list[Span]:
    """The first places of pages, by number and text, that say this value, however it is written there."""
    pattern, normal = _written(value), normal_of(name, value)
    found: list[Span] = []
    for page, text in texts:
        places = {*_as_written(pattern, text), *_as_meant(name, normal, text)}
        found += [Span(page, start, end) for start, end in _apart(sorted(places))]
        if len(found) >= most:
            break
    return found[:most]


def normal_at(name: str, value: str, text: str, place: Span) -> str | None:
    """The normal form of the words at a place of a page; None where they do not say this value."""
    if place not in occurrences(name, value, [(place.page, text)], len(text)):
        return None
    if is_amount(name) or is_day(name):
        return normal_of(name, value)
    return normal_of(name, " ".join(text[place.start : place.end].split()))


def _written(value: str) -> re.Pattern[str]:
    """The words of a value in any capitals, with any spaces between them, and not as part of others."""
    words = r"\s+".join(re.escape(word) for word in value.split())
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def _as_written(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in pattern.finditer(text))


def _as_meant(name: str, normal: str, text: str) -> Iterator[tuple[int, int]]:
    if is_amount(name):
        yield from ((each.start, each.end) for each in find_amounts(text) if each.normal == normal)
    elif is_day(name):
        yield from (
            (each.start, each.end) for each in find_dates(text) if not each.swappable and each.iso == normal
        )


def _apart(places: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Of places that overlap, the first."""
    last = -1
    for start, end in places:
        if start >= last:
            yield start, end
            last = end
