"""Bounding boxes of text spans on a page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from docyard.model.text.pages import Page, Word, unpack_words


class BoundingBox(NamedTuple):
    """A bounding box on a page, in points from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float


def find_boxes(page: Page, start: int, end: int) -> list[BoundingBox]:
    """Return one bounding box per line for the words in the span; none if the page has no word boxes."""
    return merge_line_boxes(unpack_words(page.words), start, end)


def merge_line_boxes(words: Iterable[Word], start: int, end: int) -> list[BoundingBox]:
    """Return one bounding box per line for the words that overlap the span."""
    lines: list[BoundingBox] = []
    for word in words:
        if word.start < end and start < word.end:
            box = BoundingBox(word.left, word.top, word.right, word.bottom)
            if lines and _is_same_line(lines[-1], box):
                lines[-1] = _union(lines[-1], box)
            else:
                lines.append(box)
    return lines


def _is_same_line(one: BoundingBox, other: BoundingBox) -> bool:
    overlap = min(one.bottom, other.bottom) - max(one.top, other.top)
    return overlap > 0.5 * min(one.bottom - one.top, other.bottom - other.top) and other.left >= one.left


def _union(one: BoundingBox, other: BoundingBox) -> BoundingBox:
    return BoundingBox(
        min(one.left, other.left), min(one.top, other.top), max(one.right, other.right), max(one.bottom, other.bottom)
    )
