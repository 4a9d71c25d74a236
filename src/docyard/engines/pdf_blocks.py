"""Headings, paragraphs, list items and what repeats on every page, by size, weight and place of the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from docyard.engines.pdf_pieces import Pieces
from docyard.engines.pdf_tables import Table
from docyard.model.blocks import Block

_TEXT_SHARE, _TEXT_LETTERS = 0.15, 300  # no headings take so much of a document that is not very short
_NEARLY = 0.85  # sizes nearer than this are one kind of heading
_LARGER = 1.12  # a heading is so much larger than the usual text
_LONGEST_HEADING = 160
_LONGEST_BOLD = 100  # a bold paragraph is longer
_HEADING_LINES = 3
_MOST_BOLD = 0.35  # where more of the text is bold, bold marks no headings
_EDGE = 0.12  # headers and footers stand in this much of the page at its top and bottom
_REPEATS = 3
_DEEPEST = 6
_ITEM = re.compile(r"(?:[•‣▪●○◦■–—*·\uf0b7-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])\s+\S")
_LETTER = re.compile(r"[^\W\d_]{2}")
_DIGITS = re.compile(r"\d+")


class Group(NamedTuple):
    """A group of pieces that belong together, as a span with what its letters look like."""

    start: int
    end: int
    size: float
    bold: bool
    lines: int
    top: float
    bottom: float
    table: Table | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """What a page looks like, kept until all pages are read."""

    text: str
    height: float
    groups: tuple[Group, ...]


def layout(text: str, height: float, pieces: Pieces, tables: Sequence[Table]) -> Layout:
    """The groups of a page: tables, and pieces that belong to one paragraph."""
    return Layout(text, height, tuple(_groups(text, pieces, tables)))


def _groups(text: str, pieces: Pieces, tables: Sequence[Table]) -> Iterator[Group]:
    starts, ends = pieces.starts.tolist(), pieces.ends.tolist()
    sizes, tops, bottoms = pieces.sizes.tolist(), pieces.boxes[1].tolist(), pieces.boxes[3].tolist()
    at = {table.first: table for table in tables}
    inside = {index for table in tables for index in range(table.first, table.last)}
    begins = _begins(text, starts, pieces)
    cuts = [i for i in range(len(starts)) if i in at or (i not in inside and (begins[i] or i - 1 in inside))]
    for first, last in zip(cuts, [*cuts[1:], len(starts)], strict=True):
        table = at.get(first)
        start, end = (
            (table.blocks[0].start, table.blocks[0].end) if table else (starts[first], ends[last - 1])
        )
        bold = all(pieces.bold[first:last])
        size = max(sizes[first:last]) if last - first < _HEADING_LINES else sizes[first]
        yield Group(
            start, end, size, bold, last - first, min(tops[first:last]), max(bottoms[first:last]), table
        )


def _begins(text: str, starts: Sequence[int], pieces: Pieces) -> list[bool]:
    """Whether each piece begins something new."""
    left, top, _, bottom = pieces.boxes
    size = np.minimum(pieces.sizes[1:], pieces.sizes[:-1])
    gaps = top[1:] - bottom[:-1]
    near = sorted(gaps[(gaps > -size) & (gaps < 2 * size)].tolist())
    usual = near[len(near) // 2] if near else 0.0
    new = (gaps > usual + 0.4 * size) | (gaps < -size)
    new |= np.abs(pieces.sizes[1:] - pieces.sizes[:-1]) > (_LARGER - 1) * size
    bold = np.array(pieces.bold)
    new |= bold[1:] != bold[:-1]
    alone = ~pieces.paired
    found: list[bool] = [True, *(new & alone).tolist()]
    indented = [False, *((left[1:] - left[:-1] > 0.7 * size) & alone).tolist()]
    hanging = False  # the lines of an item stand further right than its mark
    for index, start in enumerate(starts):
        item = text[max(start - 1, 0) : start] in ("", "\n") and _ITEM.match(text, start) is not None
        found[index] = found[index] or item or (indented[index] and not hanging)
        hanging = item if found[index] else hanging
    return found


def structure(pages: Sequence[Layout | None]) -> list[tuple[Block, ...]]:
    """The blocks of every page, seen together: what is usual, what is large, what repeats."""
    usual, bold_counts = _usual_size(pages)
    repeated = _repeated(pages)
    sizes = _heading_sizes(pages, usual)
    return [
        tuple(_blocks(page, usual, sizes, repeated, bold_counts=bold_counts)) if page else ()
        for page in pages
    ]


def _usual_size(pages: Sequence[Layout | None]) -> tuple[float, bool]:
    """The size most letters have, and whether bold is rare enough to mark headings."""
    letters: Counter[float] = Counter()
    bold = whole = 0
    for group in (group for page in pages if page for group in page.groups):
        length = group.end - group.start
        letters[_rounded(group.size)] += length
        bold += length if group.bold else 0
        whole += length
    return _text_size(letters), bold <= _MOST_BOLD * whole


def _text_size(letters: Counter[float]) -> float:
    """The largest size that has many letters: notes and quotations may have more than the text itself."""
    enough = max(_TEXT_SHARE * letters.total(), _TEXT_LETTERS)
    most = letters.most_common(1)[0][0] if letters else 0.0
    return max((size for size, count in letters.items() if count >= enough), default=most)


def _rounded(size: float) -> float:
    return round(size * 2) / 2


def _is_large(group: Group, usual: float) -> bool:
    return group.table is None and group.size > _LARGER * usual and group.lines <= _HEADING_LINES


def _heading_sizes(pages: Sequence[Layout | None], usual: float) -> list[float]:
    """The sizes larger than usual, the largest first; those that are nearly the same count as one."""
    found = {
        _rounded(group.size)
        for page in pages
        if page
        for group in page.groups
        if _is_large(group, usual) and _is_worded(page.text, group)
    }
    levels: list[float] = []
    for size in sorted(found, reverse=True):
        if not levels or size < _NEARLY * levels[-1]:
            levels.append(size)
    return levels


def _is_worded(text: str, group: Group) -> bool:
    length = group.end - group.start
    begun = text[group.start : group.start + 1].islower()  # the line above began it
    return (
        not begun and length <= _LONGEST_HEADING and _LETTER.search(text, group.start, group.end) is not None
    )


def _repeated(pages: Sequence[Layout | None]) -> set[tuple[str, str]]:
    """What stands at the top or bottom of several pages, apart from its numbers."""
    seen = Counter(
        key for page in pages if page for key in {_edge_key(page, group) for group in page.groups} if key
    )
    return {key for key, count in seen.items() if count >= _REPEATS}


def _edge_key(page: Layout, group: Group) -> tuple[str, str] | None:
    """Header or footer, with the words without their numbers; None for what stands elsewhere."""
    if group.lines > _HEADING_LINES or group.end - group.start > _LONGEST_HEADING:
        return None
    if group.bottom < _EDGE * page.height:
        kind = "header"
    elif group.top > (1 - _EDGE) * page.height:
        kind = "footer"
    else:
        return None
    return kind, _DIGITS.sub("#", page.text[group.start : group.end])


def _blocks(
    page: Layout, usual: float, sizes: Sequence[float], repeated: set[tuple[str, str]], *, bold_counts: bool
) -> Iterator[Block]:
    for group in page.groups:
        edge = _edge_key(page, group)
        if edge in repeated and edge is not None:
            yield Block(edge[0], group.start, group.end)
        elif group.table is not None:
            yield from group.table.blocks
        elif level := _heading_level(page.text, group, usual, sizes, bold_counts=bold_counts):
            yield Block("heading", group.start, group.end, min(level, _DEEPEST))
        else:
            kind = "item" if _ITEM.match(page.text, group.start, group.end) else "paragraph"
            yield Block(kind, group.start, group.end)


def _heading_level(
    text: str, group: Group, usual: float, sizes: Sequence[float], *, bold_counts: bool
) -> int:
    """The level of a heading, by its size among those of all headings; 0 for what is none."""
    if not _is_worded(text, group):
        return 0
    if _is_large(group, usual):
        return sum(size > _rounded(group.size) / _NEARLY for size in sizes) + 1
    stands_out = group.bold and bold_counts and group.size > 0.95 * usual
    stands_out = stands_out and group.end - group.start <= _LONGEST_BOLD
    return len(sizes) + 1 if stands_out and text[group.end - 1] not in ".,;" else 0
