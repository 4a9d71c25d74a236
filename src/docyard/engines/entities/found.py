"""What a rule or the model found in a text, before it becomes a mention of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple


class Found(NamedTuple):
    """A stretch of a text, what it names, its normal form and how sure that is."""

    kind: str
    start: int
    end: int
    normal: str
    confidence: float
    source: str = "rule"


# A rule takes a text and the ISO 639 code of its language, which may be unknown.
Rule = Callable[[str, str | None], Iterator[Found]]


def apart(found: list[Found]) -> list[Found]:
    """Of those that overlap, the one that its rule put first; sorted by place."""
    taken: list[Found] = []
    for each in found:
        if not any(each.start < other.end and other.start < each.end for other in _near(taken, each)):
            taken.append(each)
    return sorted(taken, key=lambda each: each.start)


def _near(taken: list[Found], each: Found) -> Iterator[Found]:
    return (other for other in taken if other.start < each.end)
