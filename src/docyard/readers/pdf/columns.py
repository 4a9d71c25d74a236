"""Reading order of multi-column pages, for files that store each line across all columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from docyard.readers.pdf.text_runs import TextRuns, median
from docyard.readers.pdf.words import Ints

_MIN_ROWS = 5  # with the same gutter
_MIN_WORDS = 3.5  # per line of a column of prose; cells of a table have fewer
_MIN_FILLED = 0.6  # share of the column width that lines of prose fill
_MAX_SPLITS = 6
_MAX_CROSSING = 0.5  # runs that cross the gutter, as a share of the other runs


def find_reading_order(runs: TextRuns) -> Ints | None:
    """Return the indexes of the text runs in reading order; None if the order does not change."""
    if np.count_nonzero(runs.same_row_as_next) < _MIN_ROWS:
        return None
    order = _order_runs(runs, list(range(len(runs))), _MAX_SPLITS)
    return None if order == sorted(order) else np.array(order, np.int64)


def _order_runs(runs: TextRuns, chosen: list[int], splits_left: int) -> list[int]:
    gutter = _find_gutter(runs, chosen) if splits_left else None
    if gutter is None:
        return chosen
    left, right = runs.boxes[0], runs.boxes[2]
    left_runs = [i for i in chosen if right[i] <= gutter]
    right_runs = [i for i in chosen if left[i] >= gutter]
    crossing = [i for i in chosen if left[i] < gutter < right[i]]
    if not _is_prose(runs, left_runs, right_runs, crossing):
        return chosen
    return _order_bands(runs, (left_runs, right_runs), crossing, splits_left - 1)


def _find_gutter(runs: TextRuns, chosen: Sequence[int]) -> float | None:
    """Return the x coordinate that lies in the largest number of row gaps; None if that number is too low."""
    left, top, right, bottom = (side[list(chosen)] for side in runs.boxes)
    if len(chosen) < 2 * _MIN_ROWS:
        return None
    same_row = np.minimum(bottom[1:], bottom[:-1]) > np.maximum(top[1:], top[:-1])
    gaps = np.flatnonzero(same_row & (left[1:] > right[:-1]))
    if len(gaps) < _MIN_ROWS:
        return None
    opens, closes = right[gaps], left[gaps + 1]
    middles = (opens + closes) / 2
    matches = ((opens[:, None] < middles) & (middles < closes[:, None])).sum(axis=0)
    best = int(matches.argmax())
    if matches[best] < _MIN_ROWS:
        return None
    around = (opens < middles[best]) & (middles[best] < closes)
    return float((opens[around].max() + closes[around].min()) / 2)


def _is_prose(runs: TextRuns, left_runs: list[int], right_runs: list[int], crossing: list[int]) -> bool:
    """Return whether both sides look like columns of prose rather than of a table."""
    if min(len(left_runs), len(right_runs)) < _MIN_ROWS or len(crossing) > _MAX_CROSSING * (
        len(left_runs) + len(right_runs)
    ):
        return False
    for side in (left_runs, right_runs):
        left, _, right, _ = (edges[side] for edges in runs.boxes)
        filled = median(right - left) / max(float(right.max() - left.min()), 1.0)
        if filled < _MIN_FILLED or median(runs.word_counts[side]) < _MIN_WORDS:
            return False
    return True


def _order_bands(runs: TextRuns, sides: tuple[list[int], ...], crossing: list[int], splits_left: int) -> list[int]:
    """Order the runs band by band, left side first; the runs that cross the gutter separate the bands."""
    tops = runs.boxes[1]
    separators = sorted(crossing, key=lambda i: tops[i])
    bands: list[tuple[list[int], ...]] = [tuple([] for _ in sides) for _ in range(len(separators) + 1)]
    for number, side in enumerate(sides):
        band_indexes = np.searchsorted(tops[separators], tops[side], "right").tolist()
        for index, band in zip(side, band_indexes, strict=True):
            bands[band][number].append(index)
    order: list[int] = []
    for number, band_sides in enumerate(bands):
        for side_runs in band_sides:
            order += _order_runs(runs, side_runs, splits_left)
        order += separators[number : number + 1]
    return order
