"""Workbooks in Excel's binary format (XLSB), built record by record."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from tests.builders.office.compound_files import make_compound
from tests.builders.office.packages import make_zip, relationships

_BOOK, _SHEETS, _SHEET, _CELLS = (131, 132), (143, 144), (129, 130), (145, 146)
_SHEET_ENTRY, _SIZE, _ROW, _NUMBER, _TEXT = 156, 148, 0, 5, 6
_MAIN = "application/vnd.ms-excel.sheet.binary.macroEnabled.main"


def xlsb(rows: Sequence[Sequence[str | float]], name: str = "Data", *, last_row: int | None = None) -> bytes:
    """Build a workbook with one sheet; `last_row` moves the last row down to that row index."""
    entry = _record(_SHEET_ENTRY, struct.pack("<II", 0, 1) + _wide_string("r0") + _wide_string(name))
    size = struct.pack("<IIII", 0, len(rows) - 1, 0, max(map(len, rows)) - 1)
    numbers = [*range(len(rows) - 1), last_row or len(rows) - 1]
    cells = b"".join(_row(number, row) for number, row in zip(numbers, rows, strict=True))
    return make_zip(
        {
            "[Content_Types].xml": f'<Types><Override ContentType="{_MAIN}"/></Types>',
            "_rels/.rels": relationships(("officeDocument", "xl/workbook.bin")),
            "xl/_rels/workbook.bin.rels": relationships(("worksheet", "worksheets/sheet1.bin")),
            "xl/workbook.bin": _enclose(_BOOK, _enclose(_SHEETS, entry)),
            "xl/worksheets/sheet1.bin": _enclose(_SHEET, _record(_SIZE, size) + _enclose(_CELLS, cells)),
        }
    )


def encrypted_xls() -> bytes:
    """Build an XLS file with a password: after the record that says so, cells have random positions."""
    begin = struct.pack("<HHHH", 0x0809, 4, 0x0600, 0x0005)
    password = struct.pack("<HHHHH", 0x002F, 6, 0, 0xA1B2, 0xC3D4)
    cells = (struct.pack("<HHHHHd", 0x0203, 14, row, column, 0, 1.0) for row, column in ((3, 40_000), (50_000, 9)))
    return make_compound({"Workbook": (begin + password + b"".join(cells)).ljust(8192, b"\x00")})


def _row(number: int, row: Sequence[str | float]) -> bytes:
    header = struct.pack("<IIH3xI", number, 0, 300, 0)
    return _record(_ROW, header) + b"".join(_cell(column, value) for column, value in enumerate(row))


def _cell(column: int, value: str | float) -> bytes:
    position = struct.pack("<II", column, 0)
    if isinstance(value, str):
        return _record(_TEXT, position + _wide_string(value))
    return _record(_NUMBER, position + struct.pack("<d", value))


def _enclose(kinds: tuple[int, int], content: bytes) -> bytes:
    return _record(kinds[0], b"") + content + _record(kinds[1], b"")


def _record(kind: int, data: bytes) -> bytes:
    """Encode a record: its type and length as varints, then its data."""
    header = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    length = len(data)
    while length >= 128:
        header += bytes([length & 0x7F | 0x80])
        length >>= 7
    return header + bytes([length]) + data


def _wide_string(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")
