"""Spans that a rule or the tagger finds in a text, before they become mentions of a page."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from docyard.facts.notation.conventions import Conventions


class NamedSpan(NamedTuple):
    """A span of a text, with the kind of entity it names, its normal form and its confidence."""

    kind: str
    start: int
    end: int
    normal: str
    confidence: float
    source: str = "rule"


Rule = Callable[[str, Conventions], Iterator[NamedSpan]]


def drop_overlaps(found: Iterable[NamedSpan]) -> list[NamedSpan]:
    """Return the spans sorted by offset; of overlapping spans, only the first in the input is kept."""
    starts: list[int] = []
    kept: list[NamedSpan] = []
    for each in found:
        index = bisect_left(starts, each.start)
        previous_end = kept[index - 1].end if index else 0
        next_start = starts[index] if index < len(starts) else each.end
        if previous_end <= each.start and each.end <= next_start:
            starts.insert(index, each.start)
            kept.insert(index, each)
    return kept
