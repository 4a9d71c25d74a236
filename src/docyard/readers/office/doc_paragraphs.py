"""What the paragraphs of an old Word document are: headings, cells, ends of rows, by place."""

from __future__ import annotations

import struct
from bisect import bisect_right
from dataclasses import dataclass

_PAGE = 512  # properties are kept in pages of this size
_BTE_PAPX = 0x0102  # where the list of those pages is named
_HEADING_STYLES = range(1, 10)  # these numbers are reserved for headings 1 to 9
_IN_TABLE, _ENDS_ROW, _OUTLINE = 0x2416, 0x2417, 0x2640
_BODY_LEVEL = 9
_ENTRY = 13
# Bytes of an operand by the upper three bits of its code; 6 has a length of its own.
_OPERAND = (1, 1, 2, 4, 2, 2, 0, 3)
_LONG_TABLE = 0xD608


@dataclass(frozen=True, slots=True)
class Kind:
    """What a paragraph is."""

    heading: int = 0
    in_table: bool = False
    ends_row: bool = False


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """Kinds of paragraphs by where in the file they begin."""

    starts: list[int]
    kinds: list[Kind]

    def at(self, offset: int) -> Kind:
        """The kind of the paragraph whose bytes hold this place."""
        found = bisect_right(self.starts, offset) - 1
        return self.kinds[found] if offset >= 0 and found >= 0 else Kind()


def paragraphs_of(main: bytes, table: bytes) -> Paragraphs:
    """The kinds of all paragraphs; none where the lists are damaged, for the text itself is sound."""
    try:
        offset, length = struct.unpack_from("<II", main, _BTE_PAPX)
        count = max(0, min(length, len(table) - offset) - 4) // 8
        pages = struct.unpack_from(f"<{count}I", table, offset + (count + 1) * 4)
        found = sorted((pair for page in pages for pair in _page(main, page)), key=lambda pair: pair[0])
    except (struct.error, IndexError):
        found = []
    return Paragraphs([start for start, _ in found], [kind for _, kind in found])


def _page(main: bytes, number: int) -> list[tuple[int, Kind]]:
    page = main[(number & 0x3FFFFF) * _PAGE :][:_PAGE]
    if len(page) < _PAGE:
        return []
    count = min(page[-1], (_PAGE - 5) // (4 + _ENTRY))
    starts = struct.unpack_from(f"<{count}I", page)
    entries = [page[(count + 1) * 4 + _ENTRY * place] * 2 for place in range(count)]
    return [(start, _kind(page, entry)) for start, entry in zip(starts, entries, strict=True)]


def _kind(page: bytes, at: int) -> Kind:
    if at == 0 or at + 3 > _PAGE:
        return Kind()
    length = page[at] * 2 - 1
    if page[at] == 0:  # then the next byte counts in pairs
        at, length = at + 1, page[at + 1] * 2
    properties = page[at + 1 : at + 1 + length]
    if len(properties) < 2:
        return Kind()
    (style,) = struct.unpack_from("<H", properties)
    flags = _flags(properties[2:])
    level = flags.get(_OUTLINE, _BODY_LEVEL)
    heading = style if style in _HEADING_STYLES else (level + 1 if level < _BODY_LEVEL else 0)
    return Kind(min(heading, 6), bool(flags.get(_IN_TABLE)), bool(flags.get(_ENDS_ROW)))


def _flags(properties: bytes) -> dict[int, int]:
    """The first byte of every property's operand, by the property's code."""
    found: dict[int, int] = {}
    at = 0
    while at + 3 <= len(properties):
        (code,) = struct.unpack_from("<H", properties, at)
        at += 2
        found[code] = properties[at]
        at += _length(code, properties, at)
    return found


def _length(code: int, properties: bytes, at: int) -> int:
    fixed = _OPERAND[code >> 13]
    if fixed:
        return fixed
    if code == _LONG_TABLE and at + 2 <= len(properties):
        return int(struct.unpack_from("<H", properties, at)[0]) + 1
    return properties[at] + 1
