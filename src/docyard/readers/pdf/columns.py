"""The order in which a page in columns is read, where its file gives the lines across the columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from docyard.readers.pdf.pieces import Pieces, middle
from docyard.readers.pdf.words import Ints

_ROWS = 5  # so many rows must show the same gutter
_WORDS = 3.5  # prose has so many words on a line of a column; cells of a table have fewer
_FILLED = 0.6  # and fills so much of its width
_MOST_COLUMNS = 6
_ACROSS = 0.5  # at most so many pieces may cross the gutter for each beside it


def reading_order(pieces: Pieces) -> Ints | None:
    """The pieces in reading order; None when the text has them in it already."""
    if np.count_nonzero(pieces.paired) < _ROWS:
        return None
    order = _ordered(pieces, list(range(len(pieces))), _MOST_COLUMNS)
    return None if order == sorted(order) else np.array(order, np.int64)


def _ordered(pieces: Pieces, chosen: list[int], deeper: int) -> list[int]:
    gutter = _gutter(pieces, chosen) if deeper else None
    if gutter is None:
        return chosen
    left, right = pieces.boxes[0], pieces.boxes[2]
    west = [i for i in chosen if right[i] <= gutter]
    east = [i for i in chosen if left[i] >= gutter]
    across = [i for i in chosen if left[i] < gutter < right[i]]
    if not _prose(pieces, west, east, across):
        return chosen
    return _banded(pieces, (west, east), across, deeper - 1)


def _gutter(pieces: Pieces, chosen: Sequence[int]) -> float | None:
    """The place that lies in the gaps of the most rows."""
    left, top, right, bottom = (side[list(chosen)] for side in pieces.boxes)
    if len(chosen) < 2 * _ROWS:
        return None
    level = np.minimum(bottom[1:], bottom[:-1]) > np.maximum(top[1:], top[:-1])
    gaps = np.flatnonzero(level & (left[1:] > right[:-1]))
    if len(gaps) < _ROWS:
        return None
    opens, closes = right[gaps], left[gaps + 1]
    middles = (opens + closes) / 2
    met = ((opens[:, None] < middles) & (middles < closes[:, None])).sum(axis=0)
    best = int(met.argmax())
    if met[best] < _ROWS:
        return None
    around = (opens < middles[best]) & (middles[best] < closes)
    return float((opens[around].max() + closes[around].min()) / 2)


def _prose(pieces: Pieces, west: list[int], east: list[int], across: list[int]) -> bool:
    """Whether both sides look like columns of prose rather than of a table."""
    if min(len(west), len(east)) < _ROWS or len(across) > _ACROSS * (len(west) + len(east)):
        return False
    for side in (west, east):
        left, _, right, _ = (edges[side] for edges in pieces.boxes)
        filled = middle(right - left) / max(float(right.max() - left.min()), 1.0)
        if filled < _FILLED or middle(pieces.counts[side]) < _WORDS:
            return False
    return True


def _banded(pieces: Pieces, sides: tuple[list[int], ...], across: list[int], deeper: int) -> list[int]:
    """Between two pieces that cross the gutter, first what is left of it, then what is right of it."""
    tops = pieces.boxes[1]
    walls = sorted(across, key=lambda i: tops[i])
    bands: list[tuple[list[int], ...]] = [tuple([] for _ in sides) for _ in range(len(walls) + 1)]
    for number, side in enumerate(sides):
        places = np.searchsorted(tops[walls], tops[side], "right").tolist()
        for index, band in zip(side, places, strict=True):
            bands[band][number].append(index)
    found: list[int] = []
    for number, band_sides in enumerate(bands):
        for inside in band_sides:
            found += _ordered(pieces, inside, deeper)
        found += walls[number : number + 1]
    return found
