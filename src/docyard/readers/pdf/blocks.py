"""Headings, paragraphs, list items and what repeats on every page, by size, weight and place of the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from docyard.model.text.blocks import Block
from docyard.readers.pdf.heading_words import could_stand_above
from docyard.readers.pdf.headings import (
    HEADING_LINES,
    LARGER,
    LONGEST_HEADING,
    Group,
    Heading,
    Layout,
    headings,
    level,
    levels,
)
from docyard.readers.pdf.pdfium_calls import Flags, Floats
from docyard.readers.pdf.pieces import Pieces
from docyard.readers.pdf.tables import Table

_TEXT_SHARE, _TEXT_LETTERS = 0.15, 300  # no headings take so much of a document that is not very short
_MOST_BOLD = 0.35  # where more of the text is bold, bold marks no headings
_EDGE = 0.15  # headers and footers stand in this much of the page at its top and bottom
_REPEATS = 3
_DEEPEST = 6
_FAR_LARGER = 1.5  # letters of a title beside letters of something else
_INITIAL = 2
_EARLY = 0.6  # of the line below it: a line that ends so early may be no part of its paragraph
_ITEM = re.compile(r"(?:[•‣▪●○◦■–—*·\uf0b7-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])\s+\S")
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = (
    re.compile(r"(?<!\d)\d{1,4}$"),
    re.compile(r"\d{1,4}(?=\s+[^\W\d])"),
)  # at the end, at the start
_EdgeKey = tuple[str, str | int]

__all__ = ["Layout", "layout", "structure"]


def layout(text: str, height: float, pieces: Pieces, tables: Sequence[Table]) -> Layout:
    """The groups of a page: tables, and pieces that belong to one paragraph."""
    return Layout(text, height, tuple(_groups(text, pieces, tables)), pieces.boxes)


def _groups(text: str, pieces: Pieces, tables: Sequence[Table]) -> Iterator[Group]:
    starts, ends, sizes = pieces.starts.tolist(), pieces.ends.tolist(), pieces.sizes.tolist()
    begins, items = _begins(text, starts, pieces)
    cuts = _cuts(begins, tables)
    at = {table.first: table for table in tables}
    least = np.minimum.reduceat(pieces.boxes[:2], cuts, axis=1).T.tolist()
    most = np.maximum.reduceat(pieces.boxes[2:], cuts, axis=1).T.tolist()
    beside = [0, *pieces.paired.cumsum().tolist()]  # how many pieces so far have the next in their row
    limits = zip(cuts, [*cuts[1:], len(starts)], least, most, strict=True)
    for first, last, (left, top), (right, bottom) in limits:
        table = at.get(first)
        start, end = (
            (table.blocks[0].start, table.blocks[0].end) if table else (starts[first], ends[last - 1])
        )
        count = last - first
        size = max(sizes[first:last]) if count < HEADING_LINES else sizes[first]
        bold = pieces.bold[first] and all(pieces.bold[first:last])
        lines = count - beside[last - 1] + beside[first]
        yield Group(
            start, end, size, bold, items[first], first, count, lines, left, top, right, bottom, table
        )


def _cuts(begins: Sequence[bool], tables: Sequence[Table]) -> list[int]:
    """The pieces with which groups begin; a table is one."""
    if not tables:
        return [index for index, begun in enumerate(begins) if begun]
    firsts = {table.first for table in tables}
    inside = {index for table in tables for index in range(table.first, table.last)}
    return [
        index
        for index, begun in enumerate(begins)
        if index in firsts or (index not in inside and (begun or index - 1 in inside))
    ]


def _begins(text: str, starts: Sequence[int], pieces: Pieces) -> tuple[list[bool], list[bool]]:
    """Whether each piece begins something new, and whether that is an item of a list."""
    left, alone = pieces.boxes[0], ~pieces.paired
    size = np.minimum(pieces.sizes[1:], pieces.sizes[:-1])
    indented = [False, *((left[1:] - left[:-1] > 0.7 * size) & alone).tolist()]
    found: list[bool] = [True, *_apart(pieces, size, alone).tolist()]
    lefts, rights = left.tolist(), pieces.boxes[2].tolist()
    match = _ITEM.match
    items = [(not start or text[start - 1] == "\n") and match(text, start) is not None for start in starts]
    hanging = False  # the lines of an item stand further right than its mark
    for index, item in enumerate(items):
        if item or (indented[index] and not hanging):
            found[index] = True
        elif not found[index] and found[index - 1]:
            width, below = rights[index - 1] - lefts[index - 1], rights[index] - lefts[index]
            if width < _EARLY * below and abs(lefts[index] - lefts[index - 1]) < size[index - 1]:
                found[index] = could_stand_above(text[starts[index - 1] : starts[index]].rstrip())
        if found[index]:
            hanging = item
    return found, items


def _apart(pieces: Pieces, size: Floats, alone: Flags) -> Flags:
    """Whether each piece but the first is unlike the one before it, or further from it than lines are."""
    larger = np.maximum(pieces.sizes[1:], pieces.sizes[:-1])
    gaps = pieces.boxes[1][1:] - pieces.boxes[3][:-1]
    back = gaps <= -size
    near = sorted(gaps[(gaps < 2 * size) & ~back].tolist())
    usual = near[len(near) // 3] if near else 0.0  # less than the middle: a page may be all short paragraphs
    new: Flags = (gaps > usual + 0.4 * size) | back | (larger > LARGER * size)
    if True in pieces.bold:
        bold = np.array(pieces.bold)
        new |= bold[1:] != bold[:-1]
    return (new & alone) | _beside_small_print(pieces, larger > _FAR_LARGER * size)


def _beside_small_print(pieces: Pieces, unlike: Flags) -> Flags:
    """Where a title and small print share a row; the large first letter of a chapter is no title."""
    if unlike.any():
        long = pieces.ends - pieces.starts > _INITIAL
        unlike &= pieces.paired & long[1:] & long[:-1]
    return unlike


def structure(pages: Sequence[Layout | None]) -> list[tuple[Block, ...]]:
    """The blocks of every page, seen together: what is usual, what is large, what repeats."""
    usual, bold_counts = _usual_size(pages)
    edges = _edges(pages, usual)
    found = [
        headings(page, usual, edge, bold_counts=bold_counts) if page else []
        for page, edge in zip(pages, edges, strict=True)
    ]
    stamped = Counter(each.stamp for here in found for each in here if each.stamp)
    found = [[each for each in here if stamped[each.stamp] < _REPEATS] for here in found]
    sizes = levels([_rounded(each.size) for here in found for each in here if each.size])
    return [
        tuple(_blocks(page, edge, {each.place: each for each in here}, sizes)) if page else ()
        for page, edge, here in zip(pages, edges, found, strict=True)
    ]


def _usual_size(pages: Sequence[Layout | None]) -> tuple[float, bool]:
    """The size most letters have, and whether bold is rare enough to mark headings."""
    letters: Counter[float] = Counter()
    bold = whole = 0
    for group in (group for page in pages if page for group in page.groups):
        length = group.end - group.start
        letters[round(group.size * 2) / 2] += length
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


def _edges(pages: Sequence[Layout | None], usual: float) -> list[dict[int, str]]:
    """Header or footer for each group that is one: it stands on several pages, or has the page's number."""
    known = [_edge_keys(number, page, usual) if page else {} for number, page in enumerate(pages)]
    seen = Counter(key for keys in known for key in {each for found in keys.values() for each in found})
    edges = [
        {place: found[0][0] for place, found in keys.items() if any(seen[key] >= _REPEATS for key in found)}
        for keys in known
    ]
    return [{} for _ in edges] if _mostly(pages, edges) else edges


def _mostly(pages: Sequence[Layout | None], edges: Sequence[dict[int, str]]) -> bool:
    """Whether most of the text would be at edges: labels, tickets and slips repeat what they say."""
    whole = at_edges = 0
    for page, places in zip(pages, edges, strict=True):
        for place, group in enumerate(page.groups if page else ()):
            whole += group.end - group.start
            at_edges += group.end - group.start if place in places else 0
    return at_edges * 2 > whole


def _edge_keys(number: int, page: Layout, usual: float) -> dict[int, list[_EdgeKey]]:
    """By what each group at an edge may be known again: its words without numbers, how its number counts."""
    high, low = _EDGE * page.height, (1 - _EDGE) * page.height
    keys: dict[int, list[_EdgeKey]] = {}
    for place, group in enumerate(page.groups):
        if high <= group.bottom and group.top <= low:
            continue
        if group.lines > HEADING_LINES or group.end - group.start > LONGEST_HEADING:
            continue
        kind = "header" if group.bottom < high else "footer"
        words = page.text[group.start : group.end]
        keys[place] = [(kind, _DIGITS.sub("#", words))]
        # Chapters of a page each, counted in large letters, are no headers.
        counted = _page_number(words) if kind == "footer" or group.size <= LARGER * usual else None
        if counted:
            keys[place].append((kind, int(counted[0]) - number))
    return keys


def _page_number(words: str) -> re.Match[str] | None:
    last, first = _PAGE_NUMBER
    return last.search(words) if words[-1].isdigit() else first.match(words) if words[0].isdigit() else None


def _blocks(
    page: Layout, edges: dict[int, str], found: dict[int, Heading], sizes: Sequence[float]
) -> Iterator[Block]:
    for place, group in enumerate(page.groups):
        if place in edges:
            yield Block(edges[place], group.start, group.end)
        elif group.table is not None:
            yield from group.table.blocks
        elif place in found:
            deep = level(found[place], sizes, _rounded(group.size))
            yield Block("heading", group.start, group.end, min(deep, _DEEPEST))
        else:
            yield Block("item" if group.item else "paragraph", group.start, group.end)
