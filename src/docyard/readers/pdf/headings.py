"""Headings of PDF pages, by size, weight, position and wording."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from docyard.readers.pdf.heading_words import (
    HEADING_NUMBER,
    MAX_PLAIN_CHARS,
    SECTION_LABEL,
    may_be_bold_heading,
    may_be_heading,
    may_be_plain_heading,
)
from docyard.readers.pdf.pdfium_calls import Floats
from docyard.readers.pdf.tables import Table

LARGE_RATIO = 1.12  # minimum size of a large heading, relative to the body text
MAX_HEADING_LINES = 3
MAX_HEADING_CHARS = 160
_MIN_BODY_CHARS = 60  # characters of the paragraph below a heading in the body font
_ROW_REACH = 4  # text runs before and after a group that may be in its row
_MIN_LINE_CHARS = 30  # characters per line of prose; addresses and lists of names have fewer
_SAME_SIZE = 0.8  # minimum size ratio of the cells of a row; small print next to a title is smaller
_SAME_LEVEL = 0.85  # minimum size ratio of headings of one level
_MAX_LABELS = 12  # more headings on a page without a paragraph are labels of a drawing


class Group(NamedTuple):
    """Text runs that belong together: their span, font and bounding box."""

    start: int
    end: int
    size: float
    bold: bool
    is_item: bool
    first_run: int  # index of the first text run
    run_count: int
    lines: int
    left: float
    top: float
    right: float
    bottom: float
    table: Table | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """The groups of a page and the boxes of its text runs, kept until all pages are read."""

    text: str
    height: float
    groups: tuple[Group, ...]
    boxes: Floats


class Heading(NamedTuple):
    """A heading of a page, with the properties that determine its level."""

    group: int  # index of its group on the page
    size: float  # 0 if not larger than the body text
    depth: int  # depth of its number: 1 for "2.", 2 for "2.1"
    stamp: str  # equal for all copies of a line that is stamped on many pages; empty if numbered


def find_headings(page: Layout, body_size: float, edges: Container[int], *, bold_counts: bool) -> list[Heading]:
    """Return the headings of a page; an empty list if they are the labels of a drawing.

    `edges` contains the indexes of headers and footers, which are not headings.
    """
    found = []
    min_size, large_size = 0.9 * body_size, LARGE_RATIO * body_size
    for index, group in enumerate(page.groups):
        if group.size < min_size or group.lines > MAX_HEADING_LINES or group.table or index in edges:
            continue
        emphasised = group.size > large_size or (group.bold and bold_counts)
        if emphasised or _is_separate_line(page, index):
            text = page.text[group.start : group.end]
            if _has_heading_words(text, group, large_size, emphasised) and not _is_in_cell(page, index):
                found.append(_make_heading(text, index, group, large_size))
    return [] if len(found) > _MAX_LABELS and _is_drawing(page.groups) else found


def _is_drawing(groups: Sequence[Group]) -> bool:
    """Return whether a page has no paragraph, only short lines and tables."""
    return all(group.table or group.end - group.start <= MAX_HEADING_CHARS for group in groups)


def _has_heading_words(text: str, group: Group, large_size: float, emphasised: bool) -> bool:
    if len(text) > MAX_HEADING_CHARS or not may_be_heading(text):
        return False
    if group.size > large_size:
        return True
    return may_be_bold_heading(text) if emphasised else may_be_plain_heading(text)


def _is_separate_line(page: Layout, index: int) -> bool:
    """Return whether a short line has space above it and a longer paragraph directly below it."""
    group = page.groups[index]
    if group.lines > 1 or group.end - group.start > MAX_PLAIN_CHARS or index + 1 == len(page.groups):
        return False
    below = page.groups[index + 1]
    if below.end - below.start < max(_MIN_BODY_CHARS, _MIN_LINE_CHARS * below.lines) or below.table:
        return False
    is_near = -0.5 * group.size < below.top - group.bottom < 2 * group.size
    is_shorter = group.right - group.left < 0.75 * (below.right - below.left)
    return is_near and is_shorter and _has_space_above(page.groups, index) and _introduces(page.text, group, below)


def _introduces(text: str, group: Group, below: Group) -> bool:
    """Return whether a line and the text below it differ in kind, so that they are not two list items."""
    if SECTION_LABEL.match(text, group.start, group.end):
        return True
    number, other = (HEADING_NUMBER.match(text, each.start, each.end) for each in (group, below))
    if number is not None:
        return other is None or _parse_numbering(number) != _parse_numbering(other)
    if text[group.start : group.end].isupper():
        return not text[below.start : below.start + _MIN_BODY_CHARS].isupper()
    return below.lines > 1


def _parse_numbering(number: re.Match[str]) -> tuple[bool, int]:
    """Return whether the number begins with a digit, and its depth."""
    return number[1][0].isdigit(), number[1].rstrip(".").count(".") + 1


def _has_space_above(groups: Sequence[Group], index: int) -> bool:
    if not index:
        return True
    gap = groups[index].top - groups[index - 1].bottom
    return gap > 0.4 * groups[index].size or gap < -2 * groups[index].size  # a jump up starts another column


def _is_in_cell(page: Layout, index: int) -> bool:
    """Return whether the group, or the group that it continues, has a neighbour in its row, as in a table."""
    group = page.groups[index]
    if _has_row_neighbour(page, group):
        return True
    for above in page.groups[max(index - 2, 0) : index]:
        aligned = min(abs(above.left - group.left), abs(above.right - group.right)) < 0.3 * group.size
        if aligned and -0.5 * group.size < group.top - above.bottom < group.size and above.bold == group.bold:
            return _has_row_neighbour(page, above)
    return False


def _has_row_neighbour(page: Layout, group: Group) -> bool:
    """Return whether the first or last row of the group has a wide gap, as between the cells of a table.

    Gaps after a heading number or next to smaller text are ignored.
    """
    start, stop = max(group.first_run - _ROW_REACH, 0), group.first_run + group.run_count + _ROW_REACH
    left, top, right, bottom = page.boxes[:, start:stop].tolist()
    first, last = group.first_run - start, group.first_run - start + group.run_count - 1
    numbered = group.run_count > 1 and HEADING_NUMBER.match(page.text, group.start, group.end) is not None
    for own in {first, last}:
        middle, min_height = (top[own] + bottom[own]) / 2, _SAME_SIZE * (bottom[own] - top[own])
        spans = sorted(
            (left[index], right[index])
            for index in range(len(left))
            if top[index] < middle < bottom[index] > top[index] + min_height and not (numbered and index == first)
        )
        if any(after[0] - before[1] > group.size for before, after in pairwise(spans)):
            return True
    return False


def _make_heading(text: str, index: int, group: Group, large_size: float) -> Heading:
    number = HEADING_NUMBER.match(text)
    depth = _parse_numbering(number)[1] if number else 1
    if group.size > large_size or group.bold:  # unlike a stamp, a repeated heading changes its position
        text = f"{text}@{group.top:.0f}"
    return Heading(index, group.size if group.size > large_size else 0.0, depth, "" if number else text)


def find_level_sizes(sizes: Sequence[float]) -> list[float]:
    """Return the sizes of large headings, largest first; similar sizes count as one."""
    distinct: list[float] = []
    for size in sorted(set(sizes), reverse=True):
        if not distinct or size < _SAME_LEVEL * distinct[-1]:
            distinct.append(size)
    return distinct


def find_level(heading: Heading, sizes: Sequence[float], size: float) -> int:
    """Return the level of a heading: by size if it is large, else by its number, below all large headings."""
    if heading.size:
        return sum(each > size / _SAME_LEVEL for each in sizes) + 1
    return len(sizes) + heading.depth
