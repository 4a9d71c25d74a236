"""Word 97 to 2003 documents: text from the piece table, headings and tables from paragraph properties."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText
from docyard.readers import markdown, ole
from docyard.readers.office.doc_paragraphs import Paragraphs, parse_paragraphs

_WORD_97 = 0x00C1
_ENCRYPTED, _TABLE_ONE = 0x0100, 0x0200
_FLAGS, _TEXT_START, _TEXT_END = 0x0A, 0x18, 0x1C
# Offset of the lengths of text, footnotes, headers, macros, comments, endnotes, boxes and header boxes.
_STORY_LENGTHS = 0x4C
_CLX = 0x01A2
_FIELD = re.compile(r"\x13[^\x13\x14\x15]*(?:\x14([^\x13\x15]*))?\x15")
_MAX_FIELD_DEPTH = 20
_SPECIAL_CHARACTERS = {
    0x1E: "-",
    0x1F: None,
    0x0B: "\n",
    0x0E: "\n",
    0xA0: " ",
    0x01: None,
    0x02: None,
    0x05: None,
    0x08: None,
}
_COMPRESSED = 0x4000_0000


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text: its range of characters, the file offset of its bytes, and the bytes per character."""

    start: int
    end: int
    offset: int
    width: int


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return the text with its notes, headers, comments and text boxes, and the title from the summary."""
    with ole.open_file(path) as file:
        main = ole.read_stream(file, "WordDocument", limits=limits)
        if main is None or len(main) < 0x60 or main[:2] not in (b"\xec\xa5", b"\xdc\xa5"):
            raise Reject("unsupported_file_type", _UNSUPPORTED)
        version, flags = struct.unpack_from("<H", main, 2)[0], struct.unpack_from("<H", main, _FLAGS)[0]
        if flags & _ENCRYPTED:
            raise Reject("encrypted", "The file needs a password.")
        title = ole.read_title(file, limits)
        table = ole.read_stream(file, "1Table" if flags & _TABLE_ONE else "0Table", limits=limits)
    if version < _WORD_97 or table is None:
        return markdown.build_extracted(_word_95_blocks(main), limits, title=title)
    try:
        return markdown.build_extracted(_blocks(main, table), limits, title=title)
    except (struct.error, IndexError) as error:
        raise Reject("corrupt", "The file is damaged: its text cannot be found.") from error


_UNSUPPORTED = "The Word format of this file is not supported. Save it as DOCX or PDF and upload that file."


def _word_95_blocks(main: bytes) -> Iterator[str]:
    """Yield the lines of a Word 6 or 95 file. Fast-saved files, whose text is not one run, are misread."""
    start, end = struct.unpack_from("<II", main, _TEXT_START)
    if not 0 < start < end <= len(main):
        raise Reject("unsupported_file_type", _UNSUPPORTED)
    text = _remove_fields(main[start:end].decode("cp1252", "replace"))
    yield from (_clean(line) for line in re.split(r"[\r\x07\x0c]+", text))


def _blocks(main: bytes, table: bytes) -> Iterator[str]:
    pieces = list(parse_pieces(main, table))
    text = "".join(_decode_piece(main, piece) for piece in pieces)
    if not text:
        raise Reject("corrupt", "The file is damaged: its text cannot be found.")
    paragraphs = parse_paragraphs(main, table)
    stories = struct.unpack_from("<8i", main, _STORY_LENGTHS)
    yield from _story_blocks(text[: stories[0]], pieces, paragraphs, 0)
    position = stories[0]
    for length in stories[1:]:  # notes, headers, comments and text boxes
        if length > 0:
            story = _remove_fields(text[position : position + length])
            yield from (_clean(line) for line in re.split(r"[\r\x07\x0c]+", story))
            position += length


def parse_pieces(main: bytes, table: bytes) -> Iterator[Piece]:
    """Yield the pieces of the text in the order of the piece table."""
    offset, length = struct.unpack_from("<II", main, _CLX)
    clx = table[offset : offset + length]
    position = 0
    while position < len(clx) and clx[position] == 1:  # property modifiers precede the piece table
        position += 3 + struct.unpack_from("<H", clx, position + 1)[0]
    if position >= len(clx) or clx[position] != 2:
        return
    (size,) = struct.unpack_from("<I", clx, position + 1)
    plc = clx[position + 5 : position + 5 + size]
    count = (len(plc) - 4) // 12
    starts = struct.unpack_from(f"<{count + 1}I", plc)
    for index in range(count):
        (stored,) = struct.unpack_from("<I", plc, (count + 1) * 4 + index * 8 + 2)
        compressed = bool(stored & _COMPRESSED)
        start = stored & (_COMPRESSED - 1)
        yield Piece(starts[index], starts[index + 1], start // 2 if compressed else start, 1 if compressed else 2)


def _decode_piece(main: bytes, piece: Piece) -> str:
    length = max(0, min(piece.end - piece.start, len(main)))
    data = main[piece.offset : piece.offset + length * piece.width]
    # Each stored character must yield one character, because paragraphs are located by text position.
    text = data.decode(
        "cp1252" if piece.width == 1 else "utf-16-le", "replace" if piece.width == 1 else "surrogatepass"
    )
    return text if len(text) == length else text[:length].ljust(length)


def _story_blocks(text: str, pieces: list[Piece], paragraphs: Paragraphs, start: int) -> Iterator[str]:
    """Yield the paragraphs of the main text; rows of cells are combined into tables."""
    rows: list[list[str]] = []
    cells: list[str] = []
    cell: list[str] = []
    for position, line in _lines(text, start):
        kind = paragraphs.find_kind(_file_offset(pieces, position + len(line)))
        content = _clean(_remove_fields(line))
        if kind.ends_row:
            rows.append(cells)
            cells, cell = [], []
        elif kind.in_table or text[position + len(line) : position + len(line) + 1] == "\x07":
            cell.append(content)
            if text[position + len(line) : position + len(line) + 1] == "\x07":
                cells.append(" ".join(cell))
                cell = []
        else:
            yield markdown.table(rows)
            rows = []
            yield markdown.heading(kind.heading, content) if kind.heading else content
    yield markdown.table(rows) or " ".join([*cells, *cell])


def _lines(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Yield the position and text of each paragraph or cell."""
    position = start
    for found in re.finditer(r"[\r\x07\x0c]", text):
        yield position, text[position : found.start()]
        position = found.end()
    if position < len(text):
        yield position, text[position:]


def _file_offset(pieces: list[Piece], position: int) -> int:
    """Return the file offset of the character at a text position, or -1 if no piece contains it."""
    low, high = 0, len(pieces)
    while low < high:
        middle = (low + high) // 2
        if pieces[middle].end <= position:
            low = middle + 1
        else:
            high = middle
    if low >= len(pieces):
        return -1
    return pieces[low].offset + (position - pieces[low].start) * pieces[low].width


def _remove_fields(text: str) -> str:
    """Replace each field with its result, innermost fields first."""
    for _ in range(_MAX_FIELD_DEPTH):
        replaced = _FIELD.sub(lambda found: found[1] or "", text)
        if replaced == text:
            break
        text = replaced
    return text


def _clean(text: str) -> str:
    return text.translate(_SPECIAL_CHARACTERS).strip()
