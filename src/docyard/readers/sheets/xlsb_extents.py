"""Extent of an XLSB sheet, from its row and cell records."""

from __future__ import annotations

_ROW_RECORD = 0
_CELL_RECORDS = range(1, 12)  # all types of cells: blank, number, text, formula and so on


def read_extent(sheet: bytes) -> tuple[int, int]:
    """Return the number of rows and columns of the rectangle that contains every cell."""
    rows = columns = row = offset = 0
    try:
        while offset < len(sheet):
            kind, length, offset = _read_record_header(sheet, offset)
            if kind == _ROW_RECORD:
                row = int.from_bytes(sheet[offset : offset + 4], "little")
            elif kind in _CELL_RECORDS:
                rows = max(rows, row + 1)
                columns = max(columns, int.from_bytes(sheet[offset : offset + 4], "little") + 1)
            offset += length
    except IndexError:  # the sheet is truncated, which the library reports
        pass
    return rows, columns


def _read_record_header(sheet: bytes, offset: int) -> tuple[int, int, int]:
    """Return the type and length of a record, which are varints, and the offset of its data."""
    kind, offset = sheet[offset], offset + 1
    if kind & 0x80:
        kind, offset = kind & 0x7F | (sheet[offset] & 0x7F) << 7, offset + 1
    length = 0
    for shift in (0, 7, 14, 21):
        byte, offset = sheet[offset], offset + 1
        length |= (byte & 0x7F) << shift
        if not byte & 0x80:
            break
    return kind, length, offset
