"""Extents of XLS sheets, needed because the library allocates the whole rectangle around the cells."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.readers import ole

_RECORD_HEADER, _CELL_POSITION = struct.Struct("<HH"), struct.Struct("<HH")
_BEGIN_RECORD = 0x0809  # begins a sheet, or the data that all sheets share
_FILE_PASSWORD = 0x002F  # the records after it are encrypted
_CELL_RECORDS = frozenset((0x0006, 0x00BD, 0x00BE, 0x00D6, 0x00FD, 0x0201, 0x0203, 0x0204, 0x0205, 0x027E))


def read_extents(path: Path, limits: Limits) -> Iterator[tuple[int, int]]:
    """Yield the number of rows and columns of each sheet, from the positions of its cells.

    Raise Reject if the file is encrypted; the positions would be random numbers.
    """
    with ole.open_file(path) as file:
        streams = (ole.read_stream(file, name, limits=limits) for name in ("Workbook", "Book"))
        data = next((each for each in streams if each), b"")
    rows = columns = offset = 0
    while offset + _RECORD_HEADER.size <= len(data):
        kind, length = _RECORD_HEADER.unpack_from(data, offset)
        offset += _RECORD_HEADER.size
        if kind == _FILE_PASSWORD:
            raise Reject("encrypted", "The file needs a password.")
        if kind == _BEGIN_RECORD:
            yield rows, columns
            rows = columns = 0
        elif kind in _CELL_RECORDS and length >= _CELL_POSITION.size and offset + _CELL_POSITION.size <= len(data):
            row, column = _CELL_POSITION.unpack_from(data, offset)
            rows, columns = max(rows, row + 1), max(columns, column + 1)
        offset += length
    yield rows, columns
