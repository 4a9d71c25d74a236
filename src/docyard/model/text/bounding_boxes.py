"""Bounding boxes of text spans on a page image."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from docyard.model.text.pages import Page, Word, unpack_words


class Place(NamedTuple):
    """A bounding box on a page, in points from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float


def places(page: Page, start: int, end: int) -> list[Place]:
    """Return one bounding box per line for the words in the span; empty if the page has no word boxes."""
    return lines_of(unpack_words(page.words), start, end)


def lines_of(words: Iterable[Word], start: int, end: int) -> list[Place]:
    """Return one bounding box per line for those of the words that overlap the span."""
    lines: list[Place] = []
    for word in words:
        if word.start < end and start < word.end:
            box = Place(word.left, word.top, word.right, word.bottom)
            if lines and _is_same_line(lines[-1], box):
                lines[-1] = _union(lines[-1], box)
            else:
                lines.append(box)
    return lines


def _is_same_line(one: Place, other: Place) -> bool:
    overlap = min(one.bottom, other.bottom) - max(one.top, other.top)
    return overlap > 0.5 * min(one.bottom - one.top, other.bottom - other.top) and other.left >= one.left


def _union(one: Place, other: Place) -> Place:
    return Place(
        min(one.left, other.left),
        min(one.top, other.top),
        max(one.right, other.right),
        max(one.bottom, other.bottom),
    )
