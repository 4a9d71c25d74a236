"""Blocks of PDF pages (headings, paragraphs, list items, headers, footers), by size, weight and position."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from docyard.model.text.blocks import Block
from docyard.readers.pdf.heading_words import may_be_heading_line
from docyard.readers.pdf.headings import (
    LARGE_RATIO,
    MAX_HEADING_CHARS,
    MAX_HEADING_LINES,
    Group,
    Heading,
    Layout,
    find_headings,
    find_level,
    find_level_sizes,
)
from docyard.readers.pdf.pdfium_calls import Flags, Floats
from docyard.readers.pdf.tables import Table
from docyard.readers.pdf.text_runs import TextRuns

_BODY_SHARE, _BODY_CHARS = 0.15, 300  # minimum share and count of characters in the size of body text
_MAX_BOLD_SHARE = 0.35  # with more bold text, bold does not mark headings
_EDGE_SHARE = 0.15  # of the page height; headers are in this part at the top, footers at the bottom
_MIN_REPEATS = 3
_MAX_LEVEL = 6
_TITLE_RATIO = 1.5  # size ratio of a title to small print in its row
_MAX_DROP_CAP = 2
_SHORT_LINE = 0.6  # of the width of the line below; a shorter line may be a heading
_ITEM = re.compile(r"(?:[•‣▪●○◦■–—*·\uf0b7-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])\s+\S")
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = (
    re.compile(r"(?<!\d)\d{1,4}$"),
    re.compile(r"\d{1,4}(?=\s+[^\W\d])"),
)  # at the end or at the start of a line
_EdgeKey = tuple[str, str | int]

__all__ = ["Layout", "build_layout", "find_blocks"]


def build_layout(text: str, height: float, runs: TextRuns, tables: Sequence[Table]) -> Layout:
    """Return the layout of a page: its tables, and its text runs grouped into paragraphs."""
    return Layout(text, height, tuple(_make_groups(text, runs, tables)), runs.boxes)


def _make_groups(text: str, runs: TextRuns, tables: Sequence[Table]) -> Iterator[Group]:
    starts, ends, sizes = runs.starts.tolist(), runs.ends.tolist(), runs.sizes.tolist()
    is_start, items = _mark_starts(text, starts, runs)
    group_starts = _find_group_starts(is_start, tables)
    tables_by_first = {table.first: table for table in tables}
    mins = np.minimum.reduceat(runs.boxes[:2], group_starts, axis=1).T.tolist()
    maxs = np.maximum.reduceat(runs.boxes[2:], group_starts, axis=1).T.tolist()
    # For each text run, the number of runs before it that share a row with their successor.
    paired_before = [0, *runs.same_row_as_next.cumsum().tolist()]
    groups = zip(group_starts, [*group_starts[1:], len(starts)], mins, maxs, strict=True)
    for first, last, (left, top), (right, bottom) in groups:
        table = tables_by_first.get(first)
        start, end = (table.blocks[0].start, table.blocks[0].end) if table else (starts[first], ends[last - 1])
        count = last - first
        size = max(sizes[first:last]) if count < MAX_HEADING_LINES else sizes[first]
        bold = runs.bold[first] and all(runs.bold[first:last])
        lines = count - paired_before[last - 1] + paired_before[first]
        yield Group(start, end, size, bold, items[first], first, count, lines, left, top, right, bottom, table)


def _find_group_starts(is_start: Sequence[bool], tables: Sequence[Table]) -> list[int]:
    """Return the indexes of the text runs that start a group; a table is one group."""
    if not tables:
        return [index for index, starts in enumerate(is_start) if starts]
    firsts = {table.first for table in tables}
    inside = {index for table in tables for index in range(table.first, table.last)}
    return [
        index
        for index, starts in enumerate(is_start)
        if index in firsts or (index not in inside and (starts or index - 1 in inside))
    ]


def _mark_starts(text: str, starts: Sequence[int], runs: TextRuns) -> tuple[list[bool], list[bool]]:
    """Return whether each text run starts a group, and whether it starts a list item."""
    left, unpaired = runs.boxes[0], ~runs.same_row_as_next
    size = np.minimum(runs.sizes[1:], runs.sizes[:-1])
    indented = [False, *((left[1:] - left[:-1] > 0.7 * size) & unpaired).tolist()]
    is_start: list[bool] = [True, *_find_breaks(runs, size, unpaired).tolist()]
    lefts, rights = left.tolist(), runs.boxes[2].tolist()
    match = _ITEM.match
    items = [(not start or text[start - 1] == "\n") and match(text, start) is not None for start in starts]
    hanging = False  # inside a list item, whose lines are indented further than its marker
    for index, item in enumerate(items):
        if item or (indented[index] and not hanging):
            is_start[index] = True
        elif not is_start[index] and is_start[index - 1]:
            width, below = rights[index - 1] - lefts[index - 1], rights[index] - lefts[index]
            if width < _SHORT_LINE * below and abs(lefts[index] - lefts[index - 1]) < size[index - 1]:
                is_start[index] = may_be_heading_line(text[starts[index - 1] : starts[index]].rstrip())
        if is_start[index]:
            hanging = item
    return is_start, items


def _find_breaks(runs: TextRuns, size: Floats, unpaired: Flags) -> Flags:
    """Return, for each text run but the first, whether it differs from the previous one or is far from it."""
    larger = np.maximum(runs.sizes[1:], runs.sizes[:-1])
    gaps = runs.boxes[1][1:] - runs.boxes[3][:-1]
    moves_up = gaps <= -size
    line_gaps = sorted(gaps[(gaps < 2 * size) & ~moves_up].tolist())
    # The lower tercile is used, not the median, because on some pages most gaps are between paragraphs.
    usual_gap = line_gaps[len(line_gaps) // 3] if line_gaps else 0.0
    breaks: Flags = (gaps > usual_gap + 0.4 * size) | moves_up | (larger > LARGE_RATIO * size)
    if True in runs.bold:
        bold = np.array(runs.bold)
        breaks |= bold[1:] != bold[:-1]
    return (breaks & unpaired) | _find_title_rows(runs, larger > _TITLE_RATIO * size)


def _find_title_rows(runs: TextRuns, candidates: Flags) -> Flags:
    """Return which candidate pairs of runs are a title and small print in one row; drop caps do not count."""
    if candidates.any():
        is_long = runs.ends - runs.starts > _MAX_DROP_CAP
        candidates &= runs.same_row_as_next & is_long[1:] & is_long[:-1]
    return candidates


def find_blocks(pages: Sequence[Layout | None]) -> list[tuple[Block, ...]]:
    """Return the blocks of every page, based on usual sizes and repetitions in the whole document."""
    body_size, bold_counts = _measure_text(pages)
    edges = _find_edges(pages, body_size)
    headings_by_page = [
        find_headings(page, body_size, edge, bold_counts=bold_counts) if page else []
        for page, edge in zip(pages, edges, strict=True)
    ]
    stamp_counts = Counter(each.stamp for page_headings in headings_by_page for each in page_headings if each.stamp)
    headings_by_page = [
        [each for each in page_headings if stamp_counts[each.stamp] < _MIN_REPEATS]
        for page_headings in headings_by_page
    ]
    sizes = find_level_sizes(
        [_round_size(each.size) for page_headings in headings_by_page for each in page_headings if each.size]
    )
    return [
        tuple(_make_blocks(page, edge, {each.group: each for each in page_headings}, sizes)) if page else ()
        for page, edge, page_headings in zip(pages, edges, headings_by_page, strict=True)
    ]


def _measure_text(pages: Sequence[Layout | None]) -> tuple[float, bool]:
    """Return the size of the body text, and whether bold is rare enough to mark headings."""
    chars_by_size: Counter[float] = Counter()
    bold = total = 0
    for group in (group for page in pages if page for group in page.groups):
        length = group.end - group.start
        chars_by_size[round(group.size * 2) / 2] += length
        bold += length if group.bold else 0
        total += length
    return _find_body_size(chars_by_size), bold <= _MAX_BOLD_SHARE * total


def _find_body_size(chars_by_size: Counter[float]) -> float:
    """Return the largest size with many characters; the most common size may be that of notes."""
    min_chars = max(_BODY_SHARE * chars_by_size.total(), _BODY_CHARS)
    most_common = chars_by_size.most_common(1)[0][0] if chars_by_size else 0.0
    return max((size for size, count in chars_by_size.items() if count >= min_chars), default=most_common)


def _round_size(size: float) -> float:
    return round(size * 2) / 2


def _find_edges(pages: Sequence[Layout | None], body_size: float) -> list[dict[int, str]]:
    """Return the kind of each header and footer by group index, for each page.

    Headers and footers repeat on several pages or contain the page number. If they would make up most of
    the text, none are returned.
    """
    keys_by_page = [_edge_keys(number, page, body_size) if page else {} for number, page in enumerate(pages)]
    counts = Counter(
        key for keys in keys_by_page for key in {each for group_keys in keys.values() for each in group_keys}
    )
    edges = [
        {
            index: group_keys[0][0]
            for index, group_keys in keys.items()
            if any(counts[key] >= _MIN_REPEATS for key in group_keys)
        }
        for keys in keys_by_page
    ]
    return [{} for _ in edges] if _covers_most(pages, edges) else edges


def _covers_most(pages: Sequence[Layout | None], edges: Sequence[dict[int, str]]) -> bool:
    """Return whether these headers and footers make up most of the text, as on labels and tickets."""
    total = at_edges = 0
    for page, page_edges in zip(pages, edges, strict=True):
        for index, group in enumerate(page.groups if page else ()):
            total += group.end - group.start
            at_edges += group.end - group.start if index in page_edges else 0
    return at_edges * 2 > total


def _edge_keys(number: int, page: Layout, body_size: float) -> dict[int, list[_EdgeKey]]:
    """Return the keys by which each group at an edge is recognised on other pages.

    The keys are its text with masked digits, and the page number in it minus the page index.
    """
    top_limit, bottom_limit = _EDGE_SHARE * page.height, (1 - _EDGE_SHARE) * page.height
    keys: dict[int, list[_EdgeKey]] = {}
    for index, group in enumerate(page.groups):
        if top_limit <= group.bottom and group.top <= bottom_limit:
            continue
        if group.lines > MAX_HEADING_LINES or group.end - group.start > MAX_HEADING_CHARS:
            continue
        kind = "header" if group.bottom < top_limit else "footer"
        text = page.text[group.start : group.end]
        keys[index] = [(kind, _DIGITS.sub("#", text))]
        # A large number may be the heading of a one-page chapter, not a page number.
        page_number = _match_page_number(text) if kind == "footer" or group.size <= LARGE_RATIO * body_size else None
        if page_number:
            keys[index].append((kind, int(page_number[0]) - number))
    return keys


def _match_page_number(text: str) -> re.Match[str] | None:
    at_end, at_start = _PAGE_NUMBER
    return at_end.search(text) if text[-1].isdigit() else at_start.match(text) if text[0].isdigit() else None


def _make_blocks(
    page: Layout, edges: dict[int, str], headings_by_index: dict[int, Heading], sizes: Sequence[float]
) -> Iterator[Block]:
    for index, group in enumerate(page.groups):
        if index in edges:
            yield Block(edges[index], group.start, group.end)
        elif group.table is not None:
            yield from group.table.blocks
        elif index in headings_by_index:
            depth = find_level(headings_by_index[index], sizes, _round_size(group.size))
            yield Block("heading", group.start, group.end, min(depth, _MAX_LEVEL))
        else:
            yield Block("item" if group.is_item else "paragraph", group.start, group.end)
