"""Which groups of words on a page are headings: by size and weight, by how they stand and how they read."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from docyard.readers.pdf.heading_words import (
    LONGEST_PLAIN,
    NUMBER,
    SECTION,
    bold_could_be,
    could_be,
    plain_could_be,
)
from docyard.readers.pdf.pdfium_calls import Floats
from docyard.readers.pdf.tables import Table

LARGER = 1.12  # a heading is so much larger than the usual text
HEADING_LINES = 3
LONGEST_HEADING = 160
_LEAST_BODY = 60  # letters of the text that a heading in plain letters must have below it
_BESIDE = 4  # so many pieces before and after it are looked at for one in the same row
_PROSE = 30  # letters to a line; an address or a list of names has fewer
_AS_LARGE = 0.8  # cells of a row are of one size; a title may have small print beside it
_NEARLY = 0.85  # sizes nearer than this are one kind of heading
_DRAWING = 12  # so many headings on a page without a paragraph are labels


class Group(NamedTuple):
    """Pieces that belong together, as a span with what the letters look like and where it stands."""

    start: int
    end: int
    size: float
    bold: bool
    item: bool
    first: int  # piece
    pieces: int
    lines: int
    left: float
    top: float
    right: float
    bottom: float
    table: Table | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """What a page looks like, kept until all pages are read: its groups, and the boxes of its pieces."""

    text: str
    height: float
    groups: tuple[Group, ...]
    boxes: Floats


class Heading(NamedTuple):
    """The place of a heading among the groups of its page, and its size where that makes it one."""

    place: int
    size: float
    depth: int  # by its number: 1 for 2., 2 for 2.1
    stamp: str  # what is the same where it is only stamped on many pages


def headings(page: Layout, usual: float, edges: Container[int], *, bold_counts: bool) -> list[Heading]:
    """The headings of a page except for the groups at its edges; none where they are labels of a drawing."""
    found = []
    small, large = 0.9 * usual, LARGER * usual
    for place, group in enumerate(page.groups):
        if group.size < small or group.lines > HEADING_LINES or group.table or place in edges:
            continue
        stands_out = group.size > large or (group.bold and bold_counts)
        if stands_out or _stands_alone(page, place):
            words = page.text[group.start : group.end]
            if _reads_like_one(words, group, large, stands_out) and not _in_a_cell(page, place):
                found.append(_heading(words, place, group, large))
    return [] if len(found) > _DRAWING and _is_drawing(page.groups) else found


def _is_drawing(groups: Sequence[Group]) -> bool:
    """Whether a page has no paragraph, however many short lines and tables."""
    return all(group.table or group.end - group.start <= LONGEST_HEADING for group in groups)


def _reads_like_one(words: str, group: Group, large: float, stands_out: bool) -> bool:
    if len(words) > LONGEST_HEADING or not could_be(words):
        return False
    if group.size > large:
        return True
    return bold_could_be(words) if stands_out else plain_could_be(words)


def _stands_alone(page: Layout, place: int) -> bool:
    """Whether a short line has room above it and a longer paragraph of text right below it."""
    group = page.groups[place]
    if group.lines > 1 or group.end - group.start > LONGEST_PLAIN or place + 1 == len(page.groups):
        return False
    after = page.groups[place + 1]
    if after.end - after.start < max(_LEAST_BODY, _PROSE * after.lines) or after.table:
        return False
    near = -0.5 * group.size < after.top - group.bottom < 2 * group.size
    shorter = group.right - group.left < 0.75 * (after.right - after.left)
    return near and shorter and _has_room(page.groups, place) and _announces(page.text, group, after)


def _announces(text: str, group: Group, after: Group) -> bool:
    """Whether what follows is text of another kind: no item of the same list, no more capitals."""
    if SECTION.match(text, group.start, group.end):
        return True
    number, other = (NUMBER.match(text, each.start, each.end) for each in (group, after))
    if number is not None:
        return other is None or _numbering(number) != _numbering(other)
    if text[group.start : group.end].isupper():
        return not text[after.start : after.start + _LEAST_BODY].isupper()
    return after.lines > 1


def _numbering(number: re.Match[str]) -> tuple[bool, int]:
    """How it is counted: by digits or not, and how deep."""
    return number[1][0].isdigit(), number[1].rstrip(".").count(".") + 1


def _has_room(groups: Sequence[Group], place: int) -> bool:
    if not place:
        return True
    gap = groups[place].top - groups[place - 1].bottom
    return gap > 0.4 * groups[place].size or gap < -2 * groups[place].size  # the last means another column


def _in_a_cell(page: Layout, place: int) -> bool:
    """Whether something stands beside it, as in a table or a form, or it goes on below what has that."""
    group = page.groups[place]
    if _in_a_row(page, group):
        return True
    for above in page.groups[max(place - 2, 0) : place]:
        aligned = min(abs(above.left - group.left), abs(above.right - group.right)) < 0.3 * group.size
        if aligned and -0.5 * group.size < group.top - above.bottom < group.size and above.bold == group.bold:
            return _in_a_row(page, above)
    return False


def _in_a_row(page: Layout, group: Group) -> bool:
    """Whether a row of it has a gap, except behind the number of a heading or beside smaller letters."""
    begin, stop = max(group.first - _BESIDE, 0), group.first + group.pieces + _BESIDE
    left, top, right, bottom = page.boxes[:, begin:stop].tolist()
    first, last = group.first - begin, group.first - begin + group.pieces - 1
    numbered = group.pieces > 1 and NUMBER.match(page.text, group.start, group.end) is not None
    for own in {first, last}:
        middle, least = (top[own] + bottom[own]) / 2, _AS_LARGE * (bottom[own] - top[own])
        spans = sorted(
            (left[at], right[at])
            for at in range(len(left))
            if top[at] < middle < bottom[at] > top[at] + least and not (numbered and at == first)
        )
        if any(after[0] - before[1] > group.size for before, after in pairwise(spans)):
            return True
    return False


def _heading(words: str, place: int, group: Group, large: float) -> Heading:
    number = NUMBER.match(words)
    depth = _numbering(number)[1] if number else 1
    if group.size > large or group.bold:  # it may come again, but hardly at the same place
        words = f"{words}@{group.top:.0f}"
    return Heading(place, group.size if group.size > large else 0.0, depth, "" if number else words)


def levels(found: Sequence[float]) -> list[float]:
    """The sizes of large headings, the largest first; those that are nearly the same count as one."""
    kept: list[float] = []
    for size in sorted(set(found), reverse=True):
        if not kept or size < _NEARLY * kept[-1]:
            kept.append(size)
    return kept


def level(heading: Heading, sizes: Sequence[float], size: float) -> int:
    """By its size among those of all; what is only bold or stands alone comes below, by its number."""
    if heading.size:
        return sum(each > size / _NEARLY for each in sizes) + 1
    return len(sizes) + heading.depth
