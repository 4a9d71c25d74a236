"""What a rule or the model found in a text, before it becomes a mention of a page."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from docyard.facts.notation.conventions import Conventions


class Found(NamedTuple):
    """A stretch of a text, what it names, its normal form and how sure that is."""

    kind: str
    start: int
    end: int
    normal: str
    confidence: float
    source: str = "rule"


Rule = Callable[[str, Conventions], Iterator[Found]]


def apart(found: Iterable[Found]) -> list[Found]:
    """Of those that overlap, the one that comes first in the list; sorted by place."""
    starts: list[int] = []
    taken: list[Found] = []
    for each in found:
        at = bisect_left(starts, each.start)
        before = taken[at - 1].end if at else 0
        after = starts[at] if at < len(starts) else each.end
        if before <= each.start and each.end <= after:
            starts.insert(at, each.start)
            taken.insert(at, each)
    return taken
