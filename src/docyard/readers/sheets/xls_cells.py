"""How far the cells of an old workbook reach: the library keeps every cell of the rectangle around all."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from docyard.model.limits import Limits
from docyard.readers import ole

_HEAD, _PLACE = struct.Struct("<HH"), struct.Struct("<HH")
_BEGIN = 0x0809  # of a sheet, or of what all sheets share
_CELLS = frozenset((0x0006, 0x00BD, 0x00BE, 0x00D6, 0x00FD, 0x0201, 0x0203, 0x0204, 0x0205, 0x027E))


def extents(path: Path, limits: Limits) -> Iterator[tuple[int, int]]:
    """Rows and columns of each sheet, by the places its cells name."""
    with ole.opened(path) as file:
        found = (ole.stream(file, name, limits=limits) for name in ("Workbook", "Book"))
        data = next((each for each in found if each), b"")
    rows = columns = at = 0
    while at + _HEAD.size <= len(data):
        kind, length = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        if kind == _BEGIN:
            yield rows, columns
            rows = columns = 0
        elif kind in _CELLS and length >= _PLACE.size and at + _PLACE.size <= len(data):
            row, column = _PLACE.unpack_from(data, at)
            rows, columns = max(rows, row + 1), max(columns, column + 1)
        at += length
    yield rows, columns
