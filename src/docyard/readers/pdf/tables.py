"""Tables of a page, where words stand in rows and most rows leave the same gaps free."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
from numpy.lib.stride_tricks import as_strided

from docyard.model.text.blocks import Block
from docyard.readers.pdf.pieces import Pieces, middle
from docyard.readers.pdf.words import Words

_LOOK_AHEAD = 6  # a cell of several lines stands between its row's other cells
_LONE = 2  # so many pieces may stand alone in their rows, as the second line of a cell does
_FAR = 1.6  # of a line's height: what is further below belongs to something else
_WORDS = 7.0  # more words than this in the usual piece are prose
_CROSSED = 0.25  # so many of the rows may have words in the gap between two columns
_MANY = 6  # rows; with fewer, words of prose leave such gaps by chance
_CLEAR = 0.7  # of a line's height: so wide is the usual gap between columns, or it is one of justified text
_GAP = 0.25  # of a line's height, the least such gap
_MOST_COLUMNS = 64
_WIDEST = 15_000  # points, more than the largest sheet
_LEAST_ROWS = {2: 3, 3: 3}  # a few pieces side by side might be anything
_MARK = re.compile(r"\W|\(?\w{1,4}[.)]|[oO]")  # of a list item: it makes no column

Column = tuple[float, float]
_Row = list[int]  # words
_Cells = list[tuple[int, int]]  # column and word


@dataclass(frozen=True, slots=True)
class Table:
    """The pieces from `first` up to `last` are a table, which is these blocks."""

    first: int
    last: int
    blocks: tuple[Block, ...]


def tables_of(words: Words, pieces: Pieces) -> list[Table]:
    """The tables of a page, in order."""
    if len(pieces) < 4 or np.count_nonzero(pieces.paired) < 2:
        return []
    runs = [run for run in _runs(pieces, _in_rows(pieces)) if _could_be_one(pieces, *run)]
    found = (_table(words, pieces, first, last) for first, last in runs)
    return [table for table in found if table is not None]


def _in_rows(pieces: Pieces) -> list[int]:
    """The pieces that have another beside them, not far off in the text."""
    count = len(pieces)
    ahead = min(_LOOK_AHEAD, count - 1)
    # All distances at once; what lies beyond the last piece is not a number, and beside nothing.
    later = np.full((5, count + ahead), np.nan, np.float32)
    later[:4, :count], later[4, :count] = pieces.boxes, pieces.sizes
    strides = (later.strides[0], later.strides[1], later.strides[1])
    left, top, right, bottom, size = as_strided(later[:, 1:], (5, ahead, count), strides)
    x0, y0, x1, y1 = pieces.boxes
    shared = np.minimum(bottom, y1) - np.maximum(top, y0)
    met = (shared > 0.5 * np.minimum(size, pieces.sizes)) & ((left >= x1) | (right <= x0))
    company = met.any(axis=0)
    for distance in range(1, ahead + 1):
        company[distance:] |= met[distance - 1, :-distance]
    found: list[int] = np.flatnonzero(company).tolist()
    return found


def _runs(pieces: Pieces, members: list[int]) -> Iterator[tuple[int, int]]:
    """Stretches of pieces in company, with few lone ones and no large gap between."""
    top, bottom, sizes = pieces.boxes[1].tolist(), pieces.boxes[3].tolist(), pieces.sizes.tolist()
    first, reached = 0, -np.inf  # how far down the stretch has come, lone pieces included
    for at in range(1, len(members) + 1):
        ends = at == len(members) or members[at] - members[at - 1] > _LONE + 1
        if not ends:
            reached = max(reached, *bottom[members[at - 1] : members[at]])
        if ends or top[members[at]] - reached > _FAR * sizes[members[at]]:
            yield members[first], members[at - 1] + 1
            first, reached = at, -np.inf


def _table(words: Words, pieces: Pieces, first: int, last: int) -> Table | None:
    rows = _rows(words, pieces, range(first, last))
    columns = _columns(words, rows, middle(pieces.sizes[first:last]))
    if not 2 <= len(columns) <= _MOST_COLUMNS or not _clear(columns, float(pieces.sizes[first])):
        return None
    placed = _placed(words, rows, columns)
    filled = [row for row in placed if len({column for column, _ in row}) > 1]
    if len(filled) < _LEAST_ROWS.get(len(columns), 2) or 2 * len(filled) < len(placed):
        return None
    if len(columns) == 2 and _only_marks(words, filled):
        return None
    return Table(first, last, tuple(_blocks(words, _with_their_lines(words, placed))))


def _could_be_one(pieces: Pieces, first: int, last: int) -> bool:
    """Whether these pieces are more than one line of justified text, on a real sheet, and no prose."""
    if last - first < 4 or middle(pieces.counts[first:last]) > _WORDS:
        return False
    left, top, right, bottom = (side[first:last] for side in pieces.boxes)
    several = bottom.max() - top.min() > 1.8 * pieces.sizes[first]
    return bool(several and right.max() - left.min() < _WIDEST)


def _rows(words: Words, pieces: Pieces, chosen: range) -> list[_Row]:
    """The words of these pieces by rows from top to bottom, each from left to right."""
    middles = ((pieces.boxes[1] + pieces.boxes[3]) / 2).tolist()
    sizes, firsts, counts = pieces.sizes.tolist(), pieces.firsts.tolist(), pieces.counts.tolist()
    rows: list[list[int]] = []
    for index in sorted(chosen, key=middles.__getitem__):
        if rows and middles[index] - middles[rows[-1][0]] < 0.5 * sizes[index]:
            rows[-1].append(index)
        else:
            rows.append([index])
    left = words.boxes[0].tolist()
    spans = [[range(firsts[i], firsts[i] + counts[i]) for i in row] for row in rows]
    return [sorted((word for span in row for word in span), key=left.__getitem__) for row in spans]


def _columns(words: Words, rows: Sequence[_Row], size: float) -> list[Column]:
    """Where columns begin and end: between them most rows have no word."""
    several = [row for row in rows if len(row) > 1]
    chosen = [word for row in several for word in row]
    if not chosen:
        return []
    left, right = words.boxes[0][chosen], words.boxes[2][chosen]
    origin = float(left.min())
    number = np.repeat(np.arange(len(several)), [len(row) for row in several])
    begins, ends = (left - origin).astype(np.int64), (right - origin).astype(np.int64) + 1
    steps = np.zeros((len(several), int(ends.max()) + 2), np.int32)
    np.add.at(steps, (number, begins), 1)
    np.add.at(steps, (number, ends), -1)
    crossed = int(_CROSSED * len(several)) if len(several) >= _MANY else 0
    taken = (steps.cumsum(axis=1) > 0).sum(axis=0) > crossed
    edges = np.flatnonzero(np.diff(np.concatenate(([False], taken, [False])).astype(np.int8)))
    found: list[Column] = []
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if found and start + origin - found[-1][1] < _GAP * size:
            found[-1] = (found[-1][0], end + origin)
        else:
            found.append((start + origin, end + origin))
    return found


def _clear(columns: Sequence[Column], size: float) -> bool:
    gaps = sorted(after[0] - before[1] for before, after in pairwise(columns))
    return gaps[len(gaps) // 2] >= _CLEAR * size


def _placed(words: Words, rows: Sequence[_Row], columns: Sequence[Column]) -> list[_Cells]:
    """Each word with the column that has its middle, else the nearest."""
    chosen = [word for row in rows for word in row]
    middles = (words.boxes[0][chosen] + words.boxes[2][chosen])[:, None] / 2
    starts, ends = np.array(columns).T
    nearest = iter(np.maximum(np.maximum(starts - middles, middles - ends), 0.0).argmin(axis=1).tolist())
    return [[(next(nearest), word) for word in row] for row in rows]


def _only_marks(words: Words, rows: Sequence[_Cells]) -> bool:
    """Whether the first column has nothing but the marks of list items."""
    firsts = [word for row in rows for column, word in row if column == 0]
    return all(_MARK.fullmatch(words.text, words.starts[word], words.ends[word]) for word in firsts)


def _with_their_lines(words: Words, rows: Sequence[_Cells]) -> list[_Cells]:
    """Rows, each with the lines below it that only go on with its cells."""
    top, bottom = words.boxes[1].tolist(), words.boxes[3].tolist()
    found: list[_Cells] = []
    for row in rows:
        goes_on = False
        if found:
            first = row[0][1]
            gap = min(top[word] for _, word in row) - max(bottom[word] for _, word in found[-1])
            goes_on = min(column for column, _ in row) > 0 and gap < 0.5 * (bottom[first] - top[first])
        if goes_on:
            found[-1] = found[-1] + row
        else:
            found.append(row)
    return found


def _blocks(words: Words, rows: Sequence[_Cells]) -> Iterator[Block]:
    chosen = [word for row in rows for _, word in row]
    yield Block("table", int(words.starts[chosen].min()), int(words.ends[chosen].max()))
    for row in rows:
        cells = list(_row_cells(words, row))
        yield Block("row", cells[0].start, cells[0].end)
        yield from cells


def _row_cells(words: Words, row: _Cells) -> Iterator[Block]:
    """The cells of a row from left to right; words that follow each other in the text are one."""
    by_column = sorted(row, key=lambda cell: cell[0])  # which keeps lines of a cell in their order
    for column, group in groupby(by_column, key=lambda cell: cell[0]):
        run: list[int] = []
        for _, word in group:
            if run and word != run[-1] + 1:
                yield Block("cell", int(words.starts[run[0]]), int(words.ends[run[-1]]), column)
                run = []
            run.append(word)
        yield Block("cell", int(words.starts[run[0]]), int(words.ends[run[-1]]), column)
