"""Reading order of the text on a page: columns from left to right, lines from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

_CANDIDATES = 160  # horizontal positions that are tested as the gap between two columns
_MIN_ROWS = 4  # in each column; fewer lines side by side are a table or a letterhead
_MIN_LETTERS = 12  # in a line of prose; figures in table columns have none
_MARGIN = 0.1  # line heights on both sides of the gap between columns


class TextRegion(NamedTuple):
    """Adjacent words on an upright page: bounding box, slope, number of letters, and index in the input."""

    left: float
    top: float
    right: float
    bottom: float
    slope: float
    letters: int
    number: int

    @property
    def height(self) -> float:
        """The distance from top to bottom."""
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """The vertical centre."""
        return (self.top + self.bottom) / 2


Row = list[TextRegion]


def reading_order(regions: Sequence[TextRegion]) -> list[Row]:
    """Return the lines of a page in reading order."""
    rows = _group_rows(regions)
    columns = _find_columns(rows)
    if columns is None:
        return rows
    first, last, x = columns
    in_columns = [region for row in rows[first:last] for region in row]
    above = [region for row in rows[:first] for region in row]
    below = [region for row in rows[last:] for region in row]
    left = [region for region in in_columns if region.right <= x]
    right = [region for region in in_columns if region.right > x]
    return [line for part in (above, left, right, below) if part for line in reading_order(part)]


def _group_rows(regions: Sequence[TextRegion]) -> list[Row]:
    """Group the regions of each line, and return the lines from top to bottom."""
    rows: list[Row] = []
    for region in sorted(regions, key=lambda region: region.left):
        candidates = [row for row in rows if _continues_line(row[-1], region)]
        if candidates:
            min(candidates, key=lambda row: abs(_vertical_distance(row[-1], region))).append(region)
        else:
            rows.append([region])
    return sorted(rows, key=lambda row: median(region.middle for region in row))


def _continues_line(one: TextRegion, other: TextRegion) -> bool:
    """Return whether `other` continues the line that ends with `one`, taking their slopes into account."""
    overlap = one.right - other.left
    if overlap > 0.5 * min(one.right - one.left, other.right - other.left):
        return False
    return abs(_vertical_distance(one, other)) < 0.5 * min(one.height, other.height)


def _vertical_distance(one: TextRegion, other: TextRegion) -> float:
    """Return how far `other` starts below the line that continues `one` at its slope."""
    end = one.middle + one.slope * (one.right - one.left) / 2
    start = other.middle - other.slope * (other.right - other.left) / 2
    gap = other.left - one.right
    return start - end - (one.slope + other.slope) / 2 * gap


def _find_columns(rows: Sequence[Row]) -> tuple[int, int, float] | None:
    """Return the range of rows that form two columns, and the x position between the columns; or None."""
    if len(rows) < _MIN_ROWS:
        return None
    left, right = min(row[0].left for row in rows), max(row[-1].right for row in rows)
    margin = _MARGIN * median(region.height for row in rows for region in row)
    best: tuple[int, int, float] | None = None
    best_count = 0
    for step in range(1, _CANDIDATES):
        x = left + (right - left) * step / _CANDIDATES
        for first, last in _find_free_rows(rows, x, margin):
            count = _count_prose_lines(rows[first:last], x)
            if count > best_count:
                best_count, best = count, (first, last, x)
    return best


def _find_free_rows(rows: Sequence[Row], x: float, margin: float) -> list[tuple[int, int]]:
    """Return the ranges of consecutive rows without text at this horizontal position."""
    ranges: list[tuple[int, int]] = []
    first = 0
    for index, row in enumerate([*rows, None]):
        if row is None or any(b.left - margin < x < b.right + margin for b in row):
            if index - first >= _MIN_ROWS:
                ranges.append((first, index))
            first = index + 1
    return ranges


def _count_prose_lines(rows: Sequence[Row], x: float) -> int:
    """Return the number of lines on both sides of this position, or 0 if one side is not prose."""
    sides: tuple[list[int], list[int]] = ([], [])
    for row in rows:
        for side, counts in enumerate(sides):
            letters = [region.letters for region in row if (region.right > x) == bool(side)]
            if letters:
                counts.append(sum(letters))
    if any(len(counts) < _MIN_ROWS or median(counts) < _MIN_LETTERS for counts in sides):
        return 0
    return sum(map(len, sides))
