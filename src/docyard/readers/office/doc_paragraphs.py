"""Paragraph properties of Word 97 to 2003 documents: headings, table cells and row ends."""

from __future__ import annotations

import struct
from bisect import bisect_right
from dataclasses import dataclass

_PAGE = 512  # bytes of a page of properties
_BTE_PAPX = 0x0102  # header field: offset and length of the list of those pages
_HEADING_STYLES = range(1, 10)  # style numbers reserved for headings 1 to 9
_IN_TABLE, _ENDS_ROW, _OUTLINE = 0x2416, 0x2417, 0x2640
_BODY_LEVEL = 9
_ENTRY_SIZE = 13
# Operand size in bytes, by the upper three bits of the code; 0 means that the operand starts with its size.
_OPERAND_SIZES = (1, 1, 2, 4, 2, 2, 0, 3)
_TABLE_DEFINITION = 0xD608


@dataclass(frozen=True, slots=True)
class ParagraphKind:
    """The role of a paragraph: heading level (0 for none), table cell, end of a table row."""

    heading: int = 0
    in_table: bool = False
    ends_row: bool = False


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """The kinds of paragraphs, by the file offset at which each one begins."""

    starts: list[int]
    kinds: list[ParagraphKind]

    def find_kind(self, offset: int) -> ParagraphKind:
        """Return the kind of the paragraph that contains this file offset."""
        found = bisect_right(self.starts, offset) - 1
        return self.kinds[found] if offset >= 0 and found >= 0 else ParagraphKind()


def parse_paragraphs(main: bytes, table: bytes) -> Paragraphs:
    """Return the kinds of all paragraphs, or of none if the properties are damaged."""
    try:
        offset, length = struct.unpack_from("<II", main, _BTE_PAPX)
        count = max(0, min(length, len(table) - offset) - 4) // 8
        pages = struct.unpack_from(f"<{count}I", table, offset + (count + 1) * 4)
        found = sorted((pair for page in pages for pair in _parse_page(main, page)), key=lambda pair: pair[0])
    except (struct.error, IndexError):
        found = []
    return Paragraphs([start for start, _ in found], [kind for _, kind in found])


def _parse_page(main: bytes, number: int) -> list[tuple[int, ParagraphKind]]:
    page = main[(number & 0x3FFFFF) * _PAGE :][:_PAGE]
    if len(page) < _PAGE:
        return []
    count = min(page[-1], (_PAGE - 5) // (4 + _ENTRY_SIZE))
    starts = struct.unpack_from(f"<{count}I", page)
    entries = [page[(count + 1) * 4 + _ENTRY_SIZE * index] * 2 for index in range(count)]
    return [(start, _parse_kind(page, entry)) for start, entry in zip(starts, entries, strict=True)]


def _parse_kind(page: bytes, offset: int) -> ParagraphKind:
    if offset == 0 or offset + 3 > _PAGE:
        return ParagraphKind()
    length = page[offset] * 2 - 1
    if page[offset] == 0:  # the next byte is the length in units of two bytes
        offset, length = offset + 1, page[offset + 1] * 2
    properties = page[offset + 1 : offset + 1 + length]
    if len(properties) < 2:
        return ParagraphKind()
    (style,) = struct.unpack_from("<H", properties)
    flags = _parse_properties(properties[2:])
    level = flags.get(_OUTLINE, _BODY_LEVEL)
    heading = style if style in _HEADING_STYLES else (level + 1 if level < _BODY_LEVEL else 0)
    return ParagraphKind(min(heading, 6), bool(flags.get(_IN_TABLE)), bool(flags.get(_ENDS_ROW)))


def _parse_properties(properties: bytes) -> dict[int, int]:
    """Return the first operand byte of each property, by property code."""
    found: dict[int, int] = {}
    offset = 0
    while offset + 3 <= len(properties):
        (code,) = struct.unpack_from("<H", properties, offset)
        offset += 2
        found[code] = properties[offset]
        offset += _operand_length(code, properties, offset)
    return found


def _operand_length(code: int, properties: bytes, offset: int) -> int:
    fixed = _OPERAND_SIZES[code >> 13]
    if fixed:
        return fixed
    if code == _TABLE_DEFINITION and offset + 2 <= len(properties):
        return int(struct.unpack_from("<H", properties, offset)[0]) + 1
    return properties[offset] + 1
