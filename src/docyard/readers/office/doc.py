"""Word documents of 1997 to 2003: the text by the piece table, headings and cells by paragraph properties."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.values import Extracted
from docyard.readers import markdown, ole
from docyard.readers.office.doc_paragraphs import Paragraphs, paragraphs_of

_WORD_97 = 0x00C1
_ENCRYPTED, _TABLE_ONE = 0x0100, 0x0200
_FLAGS, _TEXT_START, _TEXT_END = 0x0A, 0x18, 0x1C
_STORY_LENGTHS = 0x4C  # main text, footnotes, headers, (macros), comments, endnotes, boxes, boxes in headers
_CLX = 0x01A2
_FIELD = re.compile(r"\x13[^\x13\x14\x15]*(?:\x14([^\x13\x15]*))?\x15")
_DEEPEST_FIELD = 20
_SIGNS = {
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
    """A run of the text: where it begins, where its bytes are, and whether a letter takes one byte or two."""

    start: int
    end: int
    offset: int
    width: int


def read(path: Path, limits: Limits) -> Extracted:
    """The text of the document with its notes, under the title in its summary."""
    with ole.opened(path) as file:
        main = ole.stream(file, "WordDocument", limits=limits)
        if main is None or len(main) < 0x60 or main[:2] not in (b"\xec\xa5", b"\xdc\xa5"):
            raise Reject("unsupported_file_type", _TOO_OLD)
        version, flags = struct.unpack_from("<H", main, 2)[0], struct.unpack_from("<H", main, _FLAGS)[0]
        if flags & _ENCRYPTED:
            raise Reject("encrypted", "The file needs a password.")
        title = ole.title_of(file, limits)
        table = ole.stream(file, "1Table" if flags & _TABLE_ONE else "0Table", limits=limits)
    if version < _WORD_97 or table is None:
        return markdown.extracted(_old_blocks(main), limits, title=title)
    try:
        return markdown.extracted(_blocks(main, table), limits, title=title)
    except (struct.error, IndexError) as error:
        raise Reject("corrupt", "The file is damaged: its text cannot be found.") from error


_TOO_OLD = "This file is not of Word 97 or later. Save it as DOCX or PDF and upload that."


def _old_blocks(main: bytes) -> Iterator[str]:
    """Word 6 and 95 keep the text in one run of bytes, unless the file was saved in haste."""
    start, end = struct.unpack_from("<II", main, _TEXT_START)
    if not 0 < start < end <= len(main):
        raise Reject("unsupported_file_type", _TOO_OLD)
    text = _without_fields(main[start:end].decode("cp1252", "replace"))
    yield from (_cleaned(line) for line in re.split(r"[\r\x07\x0c]+", text))


def _blocks(main: bytes, table: bytes) -> Iterator[str]:
    pieces = list(pieces_of(main, table))
    text = "".join(_letters(main, piece) for piece in pieces)
    if not text:
        raise Reject("corrupt", "The file is damaged: its text cannot be found.")
    paragraphs = paragraphs_of(main, table)
    stories = struct.unpack_from("<8i", main, _STORY_LENGTHS)
    yield from _story(text[: stories[0]], pieces, paragraphs, 0)
    at = stories[0]
    for length in stories[1:]:  # notes, headers, comments and boxes follow the text
        if length > 0:
            story = _without_fields(text[at : at + length])
            yield from (_cleaned(line) for line in re.split(r"[\r\x07\x0c]+", story))
            at += length


def pieces_of(main: bytes, table: bytes) -> Iterator[Piece]:
    """The runs of the text in order, as the piece table lists them."""
    offset, length = struct.unpack_from("<II", main, _CLX)
    clx = table[offset : offset + length]
    at = 0
    while at < len(clx) and clx[at] == 1:  # formatting that pieces refer to
        at += 3 + struct.unpack_from("<H", clx, at + 1)[0]
    if at >= len(clx) or clx[at] != 2:
        return
    (size,) = struct.unpack_from("<I", clx, at + 1)
    plc = clx[at + 5 : at + 5 + size]
    count = (len(plc) - 4) // 12
    starts = struct.unpack_from(f"<{count + 1}I", plc)
    for number in range(count):
        (where,) = struct.unpack_from("<I", plc, (count + 1) * 4 + number * 8 + 2)
        narrow = bool(where & _COMPRESSED)
        place = where & (_COMPRESSED - 1)
        yield Piece(starts[number], starts[number + 1], place // 2 if narrow else place, 1 if narrow else 2)


def _letters(main: bytes, piece: Piece) -> str:
    length = max(0, min(piece.end - piece.start, len(main)))
    data = main[piece.offset : piece.offset + length * piece.width]
    # Every place must stay one letter, so that places in the text keep naming the same paragraphs.
    text = data.decode(
        "cp1252" if piece.width == 1 else "utf-16-le", "replace" if piece.width == 1 else "surrogatepass"
    )
    return text if len(text) == length else text[:length].ljust(length)


def _story(text: str, pieces: list[Piece], paragraphs: Paragraphs, start: int) -> Iterator[str]:
    """The main text: paragraphs as they are, rows of cells gathered into tables."""
    rows: list[list[str]] = []
    cells: list[str] = []
    cell: list[str] = []
    for place, line in _lines(text, start):
        kind = paragraphs.at(_offset(pieces, place + len(line)))
        words = _cleaned(_without_fields(line))
        if kind.ends_row:
            rows.append(cells)
            cells, cell = [], []
        elif kind.in_table or text[place + len(line) : place + len(line) + 1] == "\x07":
            cell.append(words)
            if text[place + len(line) : place + len(line) + 1] == "\x07":
                cells.append(" ".join(cell))
                cell = []
        else:
            yield markdown.table(rows)
            rows = []
            yield markdown.heading(kind.heading, words) if kind.heading else words
    yield markdown.table(rows) or " ".join([*cells, *cell])


def _lines(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Place and text of each paragraph or cell."""
    at = start
    for found in re.finditer(r"[\r\x07\x0c]", text):
        yield at, text[at : found.start()]
        at = found.end()
    if at < len(text):
        yield at, text[at:]


def _offset(pieces: list[Piece], place: int) -> int:
    """Where in the file the letter at a place of the text is stored."""
    low, high = 0, len(pieces)
    while low < high:
        middle = (low + high) // 2
        if pieces[middle].end <= place:
            low = middle + 1
        else:
            high = middle
    if low >= len(pieces):
        return -1
    return pieces[low].offset + (place - pieces[low].start) * pieces[low].width


def _without_fields(text: str) -> str:
    """The text with the results of its fields in place of their instructions."""
    for _ in range(_DEEPEST_FIELD):
        replaced = _FIELD.sub(lambda found: found[1] or "", text)
        if replaced == text:
            break
        text = replaced
    return text


def _cleaned(text: str) -> str:
    return text.translate(_SIGNS).strip()
