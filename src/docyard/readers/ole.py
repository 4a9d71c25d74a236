"""Compound files, in which Office kept its documents before 2007: opened with care, streams by name."""

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
_FIRST_SECTION, _MOST_PROPERTIES = 44, 100
_CODE_PAGE, _TITLE = 1, 2
_TEXT, _WIDE_TEXT, _UTF8 = 0x1E, 0x1F, 65001
_SECTORS, _MINI_SECTOR = (9, 12), 6  # as powers of two


def is_sound(path: Path) -> bool:
    """Whether the header names sizes that exist; with others the library asks for any amount of memory."""
    with path.open("rb") as file:
        return _is_sound(file)


def _is_sound(file: BinaryIO) -> bool:
    head = file.read(_HEADER.size)
    file.seek(0)
    if len(head) < _HEADER.size:
        return False
    sector, mini = _HEADER.unpack(head)
    return sector in _SECTORS and mini == _MINI_SECTOR


@contextmanager
def opened(path: Path) -> Iterator[OleFileIO]:
    """The compound file; damage becomes a reason."""
    with path.open("rb") as file, opened_stream(file) as compound:
        yield compound


@contextmanager
def opened_stream(stream: BinaryIO) -> Iterator[OleFileIO]:
    """The same for a compound file that is part of another."""
    import olefile

    if not _is_sound(stream):
        raise _damaged()
    try:
        with olefile.OleFileIO(stream) as file:
            yield file
    except (
        OSError,
        ArithmeticError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        raise _damaged() from error


def stream(file: OleFileIO, *names: str, limits: Limits) -> bytes | None:
    """A stream by its path, or None when there is none."""
    name = list(names)
    if not file.exists(name) or file.get_size(name) > limits.part_bytes:
        return None
    return bytes(file.openstream(name).read())


def title_of(file: OleFileIO, limits: Limits) -> str | None:
    """The title in the summary of the file; read here: a damaged count keeps the library for hours."""
    summary = stream(file, "\x05SummaryInformation", limits=limits) or b""
    try:
        (start,) = struct.unpack_from("<I", summary, _FIRST_SECTION)
        (count,) = struct.unpack_from("<I", summary, start + 4)
        count = min(count, _MOST_PROPERTIES, (len(summary) - start) // 8 - 1)
        pairs = list(struct.iter_unpack("<II", summary[start + 8 : start + 8 + 8 * count]))
        # The first of a name counts: what follows the list may look like more of it.
        places = {name: start + offset for name, offset in reversed(pairs)}
        return _property_text(summary, places[_TITLE], places.get(_CODE_PAGE)) if _TITLE in places else None
    except struct.error:
        return None


def _property_text(summary: bytes, at: int, page_at: int | None) -> str | None:
    kind, length = struct.unpack_from("<II", summary, at)
    if kind == _WIDE_TEXT:
        return summary[at + 8 : at + 8 + 2 * length].decode("utf-16-le", "replace").strip("\x00 ")
    if kind != _TEXT:
        return None
    page = struct.unpack_from("<H", summary, page_at + 4)[0] if page_at is not None else 1252
    try:
        text = summary[at + 8 : at + 8 + length].decode("utf-8" if page == _UTF8 else f"cp{page}", "replace")
    except LookupError:
        text = summary[at + 8 : at + 8 + length].decode("cp1252", "replace")
    return text.strip("\x00 ")


def _damaged() -> Reject:
    return Reject("corrupt", "The file is damaged: what is stored inside cannot be read.")
