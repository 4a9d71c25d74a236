"""Compound files (OLE), the container of Office documents before 2007, and their streams by name."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from docyard.errors import Reject
from docyard.model.limits import Limits

if TYPE_CHECKING:
    from olefile import OleFileIO


_HEADER = struct.Struct("<30xHH")
_SECTION_OFFSET, _MAX_PROPERTIES = 44, 100
_CODE_PAGE, _TITLE = 1, 2
_TEXT, _WIDE_TEXT, _UTF8 = 0x1E, 0x1F, 65001
_SECTOR_SHIFTS, _MINI_SECTOR_SHIFT = (9, 12), 6  # binary logarithms of the sizes in bytes


def has_valid_header(path: Path) -> bool:
    """Return whether the header has valid sector sizes; invalid ones make olefile exhaust memory."""
    with path.open("rb") as file:
        return _has_valid_header(file)


def _has_valid_header(file: BinaryIO) -> bool:
    header = file.read(_HEADER.size)
    file.seek(0)
    if len(header) < _HEADER.size:
        return False
    sector, mini_sector = _HEADER.unpack(header)
    return sector in _SECTOR_SHIFTS and mini_sector == _MINI_SECTOR_SHIFT


@contextmanager
def open_file(path: Path) -> Iterator[OleFileIO]:
    """Open a compound file; raise Reject if it is damaged."""
    with path.open("rb") as file, open_stream(file) as compound:
        yield compound


@contextmanager
def open_stream(stream: BinaryIO) -> Iterator[OleFileIO]:
    """Open a compound file in a stream; raise Reject if it is damaged."""
    import olefile

    if not _has_valid_header(stream):
        raise _damage_error()
    try:
        with olefile.OleFileIO(stream) as file:
            yield file
    except (OSError, ArithmeticError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise _damage_error() from error


def read_stream(file: OleFileIO, *names: str, limits: Limits) -> bytes | None:
    """Return a stream by its path; None if it does not exist or exceeds the limit."""
    name = list(names)
    if not file.exists(name) or file.get_size(name) > limits.part_bytes:
        return None
    return bytes(file.openstream(name).read())


def read_title(file: OleFileIO, limits: Limits) -> str | None:
    """Return the title from the summary information, or None.

    The parser in olefile is not used, because it runs for hours if the property count is damaged.
    """
    summary = read_stream(file, "\x05SummaryInformation", limits=limits) or b""
    try:
        (start,) = struct.unpack_from("<I", summary, _SECTION_OFFSET)
        (count,) = struct.unpack_from("<I", summary, start + 4)
        count = min(count, _MAX_PROPERTIES, (len(summary) - start) // 8 - 1)
        pairs = list(struct.iter_unpack("<II", summary[start + 8 : start + 8 + 8 * count]))
        # If an id occurs twice, the first pair wins: with too large a count, the last pairs are other data.
        offsets = {property_id: start + relative for property_id, relative in reversed(pairs)}
        return _read_text_property(summary, offsets[_TITLE], offsets.get(_CODE_PAGE)) if _TITLE in offsets else None
    except struct.error:
        return None


def _read_text_property(summary: bytes, offset: int, code_page_offset: int | None) -> str | None:
    kind, length = struct.unpack_from("<II", summary, offset)
    if kind == _WIDE_TEXT:
        return summary[offset + 8 : offset + 8 + 2 * length].decode("utf-16-le", "replace").strip("\x00 ")
    if kind != _TEXT:
        return None
    code_page = struct.unpack_from("<H", summary, code_page_offset + 4)[0] if code_page_offset is not None else 1252
    try:
        text = summary[offset + 8 : offset + 8 + length].decode(
            "utf-8" if code_page == _UTF8 else f"cp{code_page}", "replace"
        )
    except LookupError:
        text = summary[offset + 8 : offset + 8 + length].decode("cp1252", "replace")
    return text.strip("\x00 ")


def _damage_error() -> Reject:
    return Reject("corrupt", "The file is damaged: the data inside it cannot be read.")
