"""Compound files, in which Office kept its documents before 2007: opened with care, streams by name."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from docyard.errors import Reject
from docyard.model.limits import Limits

if TYPE_CHECKING:
    from olefile import OleFileIO


_HEADER = struct.Struct("<30xHH")
_SECTORS, _MINI_SECTOR = (9, 12), 6  # as powers of two


def is_sound(path: Path) -> bool:
    """Whether the header names sizes that exist; with others the library asks for any amount of memory."""
    with path.open("rb") as file:
        head = file.read(_HEADER.size)
    if len(head) < _HEADER.size:
        return False
    sector, mini = _HEADER.unpack(head)
    return sector in _SECTORS and mini == _MINI_SECTOR


@contextmanager
def opened(path: Path) -> Iterator[OleFileIO]:
    """The compound file; damage becomes a reason."""
    import olefile

    if not is_sound(path):
        raise _damaged()
    try:
        with olefile.OleFileIO(str(path)) as file:
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


def storage_title(file: OleFileIO) -> str | None:
    """The title in the summary of the file, in the charset that the summary names."""
    try:
        summary = file.get_metadata()
        title, page = summary.title, summary.codepage
    except Exception:  # noqa: BLE001 - a broken summary may raise nearly anything, and only costs the title
        return None
    if isinstance(title, bytes):
        encoding = (
            "utf-8" if page in (65001, -535) else f"cp{page if isinstance(page, int) and page > 0 else 1252}"
        )
        try:
            title = title.decode(encoding, "replace")
        except LookupError:
            title = title.decode("cp1252", "replace")
    return title.strip("\x00 ") if isinstance(title, str) else None


def _damaged() -> Reject:
    return Reject("corrupt", "The file is damaged: what is stored inside cannot be read.")
