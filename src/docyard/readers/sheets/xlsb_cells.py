"""How far the cells of a binary sheet reach, from the heads of its records."""

from __future__ import annotations

_ROW = 0
_CELLS = range(1, 12)  # every kind of cell: blank, number, text, formula and so on


def extent(sheet: bytes) -> tuple[int, int]:
    """How many rows and columns the rectangle has that holds every cell."""
    rows = columns = row = at = 0
    try:
        while at < len(sheet):
            kind, length, at = _head(sheet, at)
            if kind == _ROW:
                row = int.from_bytes(sheet[at : at + 4], "little")
            elif kind in _CELLS:
                rows = max(rows, row + 1)
                columns = max(columns, int.from_bytes(sheet[at : at + 4], "little") + 1)
            at += length
    except IndexError:  # it was cut off, which the library will say
        pass
    return rows, columns


def _head(sheet: bytes, at: int) -> tuple[int, int, int]:
    """Kind and length of a record in sevens of bits, and where its data begins."""
    kind, at = sheet[at], at + 1
    if kind & 0x80:
        kind, at = kind & 0x7F | (sheet[at] & 0x7F) << 7, at + 1
    length = 0
    for shift in (0, 7, 14, 21):
        byte, at = sheet[at], at + 1
        length |= (byte & 0x7F) << shift
        if not byte & 0x80:
            break
    return kind, length, at
