"""The order in which people read what stands on a page: lines from left to right, column after column."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

_GRID = 160  # places across the page that are tried as the space between two columns
_LEAST_ROWS = 4  # fewer lines beside each other are a table or a letterhead
_PROSE = 12  # letters in a column's line; the figures in a table's have none
_APART = 0.1  # of the height of a line, on both sides of the space between columns


class Block(NamedTuple):
    """Words on a page that was turned upright: edges, slope, number of letters, and which they were."""

    left: float
    top: float
    right: float
    bottom: float
    slope: float
    letters: int
    which: int

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """Half-way down."""
        return (self.top + self.bottom) / 2


Row = list[Block]


def reading_order(blocks: Sequence[Block]) -> list[Row]:
    """The lines of a page in the order they are read."""
    rows = _rows(blocks)
    columns = _columns(rows)
    if columns is None:
        return rows
    first, last, place = columns
    beside = [block for row in rows[first:last] for block in row]
    before = [block for row in rows[:first] for block in row]
    after = [block for row in rows[last:] for block in row]
    left = [block for block in beside if block.right <= place]
    right = [block for block in beside if block.right > place]
    return [line for part in (before, left, right, after) if part for line in reading_order(part)]


def _rows(blocks: Sequence[Block]) -> list[Row]:
    """Blocks beside each other put together, from the top down."""
    rows: list[Row] = []
    for block in sorted(blocks, key=lambda block: block.left):
        fitting = [row for row in rows if _continues(row[-1], block)]
        if fitting:
            min(fitting, key=lambda row: abs(_distance(row[-1], block))).append(block)
        else:
            rows.append([block])
    return sorted(rows, key=lambda row: median(block.middle for block in row))


def _continues(one: Block, other: Block) -> bool:
    """Whether `other` goes on with the line that `one` ends, going by the slope of both."""
    overlap = one.right - other.left
    if overlap > 0.5 * min(one.right - one.left, other.right - other.left):
        return False
    return abs(_distance(one, other)) < 0.5 * min(one.height, other.height)


def _distance(one: Block, other: Block) -> float:
    """How much lower `other` begins than `one` ends."""
    ends = one.middle + one.slope * (one.right - one.left) / 2
    begins = other.middle - other.slope * (other.right - other.left) / 2
    between = other.left - one.right
    return begins - ends - (one.slope + other.slope) / 2 * between


def _columns(rows: Sequence[Row]) -> tuple[int, int, float] | None:
    """The rows from, to, and the place between them where two columns stand beside each other."""
    if len(rows) < _LEAST_ROWS:
        return None
    left, right = min(row[0].left for row in rows), max(row[-1].right for row in rows)
    apart = _APART * median(block.height for row in rows for block in row)
    best: tuple[int, int, float] | None = None
    most = 0
    for step in range(1, _GRID):
        place = left + (right - left) * step / _GRID
        for first, last in _free_runs(rows, place, apart):
            count = _prose_beside(rows[first:last], place)
            if count > most:
                most, best = count, (first, last, place)
    return best


def _free_runs(rows: Sequence[Row], place: float, apart: float) -> list[tuple[int, int]]:
    """Runs of rows in which nothing stands at this place."""
    runs: list[tuple[int, int]] = []
    first = 0
    for at, row in enumerate([*rows, None]):
        if row is None or any(b.left - apart < place < b.right + apart for b in row):
            if at - first >= _LEAST_ROWS:
                runs.append((first, at))
            first = at + 1
    return runs


def _prose_beside(rows: Sequence[Row], place: float) -> int:
    """How many lines there are, if on both sides of the place they are lines of prose; else none."""
    sides: tuple[list[int], list[int]] = ([], [])
    for row in rows:
        for side, counts in enumerate(sides):
            here = [block.letters for block in row if (block.right > place) == bool(side)]
            if here:
                counts.append(sum(here))
    if any(len(counts) < _LEAST_ROWS or median(counts) < _PROSE for counts in sides):
        return 0
    return sum(map(len, sides))
