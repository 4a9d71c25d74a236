"""Tables of a page, recognised by rows of words that mostly have the same gaps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
from numpy.lib.stride_tricks import as_strided

from docyard.model.text.blocks import Block
from docyard.readers.pdf.text_runs import TextRuns, median
from docyard.readers.pdf.words import Words

_LOOK_AHEAD = 6  # text runs; the lines of a tall cell may be between the other cells of its row
_MAX_LONE_RUNS = 2  # consecutive text runs alone in their rows, such as the second line of a cell
_MAX_LINE_GAP = 1.6  # of the line height; text further below is not part of the table
_MAX_WORDS = 7.0  # in the median text run; prose has more
_MAX_CROSSED_SHARE = 0.25  # share of rows with words in the gap between two columns
_MIN_ROWS_CROSSED = 6  # rows; in smaller tables no row may cross a gap, because gaps in prose align by chance
_MIN_MEDIAN_GAP = 0.7  # of the line height; the median column gap is wider than gaps in justified text
_MIN_GAP = 0.25  # of the line height; columns closer than this are merged
_MAX_COLUMNS = 64
_MAX_WIDTH = 15_000  # points, more than the largest page
_MIN_ROWS = {2: 3, 3: 3}  # by number of columns, else 2; fewer may be a coincidence
_ITEM_MARKER = re.compile(r"\W|\(?\w{1,4}[.)]|[oO]")  # marker of a list item, which is not a column

Column = tuple[float, float]
_Row = list[int]  # word indexes
_Cells = list[tuple[int, int]]  # column and word index


@dataclass(frozen=True, slots=True)
class Table:
    """The blocks of a table, which consists of the text runs from `first` up to but excluding `last`."""

    first: int
    last: int
    blocks: tuple[Block, ...]


def find_tables(words: Words, runs: TextRuns) -> list[Table]:
    """Return the tables of a page in text order."""
    if len(runs) < 4 or np.count_nonzero(runs.same_row_as_next) < 2:
        return []
    ranges = [each for each in _find_ranges(runs, _find_row_members(runs)) if _may_be_table(runs, *each)]
    tables = (_make_table(words, runs, first, last) for first, last in ranges)
    return [table for table in tables if table is not None]


def _find_row_members(runs: TextRuns) -> list[int]:
    """Return the indexes of text runs that share a row with a run at most `_LOOK_AHEAD` positions away."""
    count = len(runs)
    ahead = min(_LOOK_AHEAD, count - 1)
    # Compare all distances in one operation; positions past the last run are NaN and share no row.
    padded = np.full((5, count + ahead), np.nan, np.float32)
    padded[:4, :count], padded[4, :count] = runs.boxes, runs.sizes
    strides = (padded.strides[0], padded.strides[1], padded.strides[1])
    left, top, right, bottom, size = as_strided(padded[:, 1:], (5, ahead, count), strides)
    x0, y0, x1, y1 = runs.boxes
    shared = np.minimum(bottom, y1) - np.maximum(top, y0)
    in_row = (shared > 0.5 * np.minimum(size, runs.sizes)) & ((left >= x1) | (right <= x0))
    has_neighbour = in_row.any(axis=0)
    for distance in range(1, ahead + 1):
        has_neighbour[distance:] |= in_row[distance - 1, :-distance]
    members: list[int] = np.flatnonzero(has_neighbour).tolist()
    return members


def _find_ranges(runs: TextRuns, members: list[int]) -> Iterator[tuple[int, int]]:
    """Yield ranges of runs that share rows, with few lone runs and no large vertical gap between them."""
    top, bottom, sizes = runs.boxes[1].tolist(), runs.boxes[3].tolist(), runs.sizes.tolist()
    first, lowest = 0, -np.inf  # lowest bottom in the range, lone runs included
    for position in range(1, len(members) + 1):
        ends = position == len(members) or members[position] - members[position - 1] > _MAX_LONE_RUNS + 1
        if not ends:
            lowest = max(lowest, *bottom[members[position - 1] : members[position]])
        if ends or top[members[position]] - lowest > _MAX_LINE_GAP * sizes[members[position]]:
            yield members[first], members[position - 1] + 1
            first, lowest = position, -np.inf


def _make_table(words: Words, runs: TextRuns, first: int, last: int) -> Table | None:
    rows = _group_rows(words, runs, range(first, last))
    columns = _find_columns(words, rows, median(runs.sizes[first:last]))
    if not 2 <= len(columns) <= _MAX_COLUMNS or not _has_clear_gaps(columns, float(runs.sizes[first])):
        return None
    cells_by_row = _assign_columns(words, rows, columns)
    table_rows = [row for row in cells_by_row if len({column for column, _ in row}) > 1]
    if len(table_rows) < _MIN_ROWS.get(len(columns), 2) or 2 * len(table_rows) < len(cells_by_row):
        return None
    if len(columns) == 2 and _has_only_markers(words, table_rows):
        return None
    return Table(first, last, tuple(_make_blocks(words, _merge_continuations(words, cells_by_row))))


def _may_be_table(runs: TextRuns, first: int, last: int) -> bool:
    """Return whether these runs have several lines, are not prose, and fit on the largest page."""
    if last - first < 4 or median(runs.word_counts[first:last]) > _MAX_WORDS:
        return False
    left, top, right, bottom = (side[first:last] for side in runs.boxes)
    multi_line = bottom.max() - top.min() > 1.8 * runs.sizes[first]
    return bool(multi_line and right.max() - left.min() < _MAX_WIDTH)


def _group_rows(words: Words, runs: TextRuns, chosen: range) -> list[_Row]:
    """Return the words of these runs by row from top to bottom, each row from left to right."""
    centres = ((runs.boxes[1] + runs.boxes[3]) / 2).tolist()
    sizes, firsts, counts = runs.sizes.tolist(), runs.first_words.tolist(), runs.word_counts.tolist()
    rows: list[list[int]] = []
    for index in sorted(chosen, key=centres.__getitem__):
        if rows and centres[index] - centres[rows[-1][0]] < 0.5 * sizes[index]:
            rows[-1].append(index)
        else:
            rows.append([index])
    left = words.boxes[0].tolist()
    word_ranges = [[range(firsts[i], firsts[i] + counts[i]) for i in row] for row in rows]
    return [sorted((word for indexes in row for word in indexes), key=left.__getitem__) for row in word_ranges]


def _find_columns(words: Words, rows: Sequence[_Row], size: float) -> list[Column]:
    """Return the left and right edge of each column; most rows have no word between two columns."""
    multi_word_rows = [row for row in rows if len(row) > 1]
    chosen = [word for row in multi_word_rows for word in row]
    if not chosen:
        return []
    left, right = words.boxes[0][chosen], words.boxes[2][chosen]
    origin = float(left.min())
    number = np.repeat(np.arange(len(multi_word_rows)), [len(row) for row in multi_word_rows])
    begins, ends = (left - origin).astype(np.int64), (right - origin).astype(np.int64) + 1
    changes = np.zeros((len(multi_word_rows), int(ends.max()) + 2), np.int32)
    np.add.at(changes, (number, begins), 1)
    np.add.at(changes, (number, ends), -1)
    crossed = int(_MAX_CROSSED_SHARE * len(multi_word_rows)) if len(multi_word_rows) >= _MIN_ROWS_CROSSED else 0
    occupied = (changes.cumsum(axis=1) > 0).sum(axis=0) > crossed
    edges = np.flatnonzero(np.diff(np.concatenate(([False], occupied, [False])).astype(np.int8)))
    columns: list[Column] = []
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if columns and start + origin - columns[-1][1] < _MIN_GAP * size:
            columns[-1] = (columns[-1][0], end + origin)
        else:
            columns.append((start + origin, end + origin))
    return columns


def _has_clear_gaps(columns: Sequence[Column], size: float) -> bool:
    gaps = sorted(after[0] - before[1] for before, after in pairwise(columns))
    return gaps[len(gaps) // 2] >= _MIN_MEDIAN_GAP * size


def _assign_columns(words: Words, rows: Sequence[_Row], columns: Sequence[Column]) -> list[_Cells]:
    """Assign each word to the column that contains its centre, or else to the nearest column."""
    chosen = [word for row in rows for word in row]
    centres = (words.boxes[0][chosen] + words.boxes[2][chosen])[:, None] / 2
    starts, ends = np.array(columns).T
    nearest = iter(np.maximum(np.maximum(starts - centres, centres - ends), 0.0).argmin(axis=1).tolist())
    return [[(next(nearest), word) for word in row] for row in rows]


def _has_only_markers(words: Words, rows: Sequence[_Cells]) -> bool:
    """Return whether the first column contains only the markers of list items."""
    firsts = [word for row in rows for column, word in row if column == 0]
    return all(_ITEM_MARKER.fullmatch(words.text, words.starts[word], words.ends[word]) for word in firsts)


def _merge_continuations(words: Words, rows: Sequence[_Cells]) -> list[_Cells]:
    """Merge each line that has no first cell into the row above it, if that row is near."""
    top, bottom = words.boxes[1].tolist(), words.boxes[3].tolist()
    merged: list[_Cells] = []
    for row in rows:
        continues = False
        if merged:
            first = row[0][1]
            gap = min(top[word] for _, word in row) - max(bottom[word] for _, word in merged[-1])
            continues = min(column for column, _ in row) > 0 and gap < 0.5 * (bottom[first] - top[first])
        if continues:
            merged[-1] = merged[-1] + row
        else:
            merged.append(row)
    return merged


def _make_blocks(words: Words, rows: Sequence[_Cells]) -> Iterator[Block]:
    chosen = [word for row in rows for _, word in row]
    yield Block("table", int(words.starts[chosen].min()), int(words.ends[chosen].max()))
    for row in rows:
        cells = list(_row_cells(words, row))
        yield Block("row", cells[0].start, cells[0].end)
        yield from cells


def _row_cells(words: Words, row: _Cells) -> Iterator[Block]:
    """Yield the cells of a row from left to right.

    A column yields several cells if its words are not consecutive in the text.
    """
    by_column = sorted(row, key=lambda pair: pair[0])  # a stable sort keeps the lines of a cell in order
    for column, group in groupby(by_column, key=lambda pair: pair[0]):
        cell: list[int] = []
        for _, word in group:
            if cell and word != cell[-1] + 1:
                yield Block("cell", int(words.starts[cell[0]]), int(words.ends[cell[-1]]), column)
                cell = []
            cell.append(word)
        yield Block("cell", int(words.starts[cell[0]]), int(words.ends[cell[-1]]), column)
