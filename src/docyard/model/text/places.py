"""Where a span of a page's text stands on its picture."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from docyard.model.text.pages import Page, Word, unpack_words


class Place(NamedTuple):
    """A rectangle on a page, in points from its upper left corner."""

    left: float
    top: float
    right: float
    bottom: float


def places(page: Page, start: int, end: int) -> list[Place]:
    """One rectangle for each line that the span's words stand on; none where no word has a place."""
    return lines_of(unpack_words(page.words), start, end)


def lines_of(words: Iterable[Word], start: int, end: int) -> list[Place]:
    """One rectangle for each line that those of the words stand on that the span touches."""
    lines: list[Place] = []
    for word in words:
        if word.start < end and start < word.end:
            here = Place(word.left, word.top, word.right, word.bottom)
            if lines and _same_line(lines[-1], here):
                lines[-1] = _around(lines[-1], here)
            else:
                lines.append(here)
    return lines


def _same_line(one: Place, other: Place) -> bool:
    overlap = min(one.bottom, other.bottom) - max(one.top, other.top)
    return overlap > 0.5 * min(one.bottom - one.top, other.bottom - other.top) and other.left >= one.left


def _around(one: Place, other: Place) -> Place:
    return Place(
        min(one.left, other.left),
        min(one.top, other.top),
        max(one.right, other.right),
        max(one.bottom, other.bottom),
    )
