"""An embedded object: the file that was put into it, under the name it had."""

from __future__ import annotations

import io
import struct
from typing import TYPE_CHECKING

from docyard.model.limits import Limits
from docyard.readers import ole
from docyard.readers.text import decode

if TYPE_CHECKING:
    from olefile import OleFileIO

_NATIVE = "\x01Ole10Native"
_AS_THEY_ARE = {"WordDocument": "doc", "Workbook": "xls", "Book": "xls", "PowerPoint Document": "ppt"}
# What these streams hold is a whole file.
_STREAMS = ("Package", "CONTENTS")


def contents(data: bytes, limits: Limits) -> tuple[str, bytes] | None:
    """Name and bytes of the file in an object; None for one that is no file, such as a formula."""
    with ole.opened_stream(io.BytesIO(data)) as file:
        if native := ole.stream(file, _NATIVE, limits=limits):
            return _native(native)
        for name in _STREAMS:
            if found := ole.stream(file, name, limits=limits):
                return "", found
        return _itself(file, data)


def _itself(file: OleFileIO, data: bytes) -> tuple[str, bytes] | None:
    """A document of the old kinds is an object by itself."""
    ending = next((kind for stream, kind in _AS_THEY_ARE.items() if file.exists(stream)), None)
    return (f"object.{ending}", data) if ending else None


def _native(stream: bytes) -> tuple[str, bytes] | None:
    """What Windows packs: label, path and path again, each with its length or its end, then the file."""
    try:
        (kind,) = struct.unpack_from("<H", stream, 4)
        if kind != 2:  # other objects keep what only their program reads
            return None
        label, at = _text(stream, 6)
        _, at = _text(stream, at)
        (length,) = struct.unpack_from("<I", stream, at + 4)
        at += 8 + length
        (size,) = struct.unpack_from("<I", stream, at)
    except (struct.error, ValueError):
        return None
    return label, stream[at + 4 : at + 4 + size]


def _text(stream: bytes, at: int) -> tuple[str, int]:
    end = stream.index(b"\x00", at)
    return decode(stream[at:end]), end + 1
