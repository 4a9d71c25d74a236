"""Files wrapped in OLE objects, with their original names."""

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
_DOCUMENT_STREAMS = {"WordDocument": "doc", "Workbook": "xls", "Book": "xls", "PowerPoint Document": "ppt"}
# Each of these streams contains a whole file.
_FILE_STREAMS = ("Package", "CONTENTS")


def extract_file(data: bytes, limits: Limits) -> tuple[str, bytes] | None:
    """Return the name and bytes of the file in an object; None for an object without one, such as a formula.

    The name may be empty.
    """
    with ole.open_stream(io.BytesIO(data)) as file:
        if native := ole.read_stream(file, _NATIVE, limits=limits):
            return _parse_native(native)
        for name in _FILE_STREAMS:
            if found := ole.read_stream(file, name, limits=limits):
                return "", found
        return _whole_document(file, data)


def _whole_document(file: OleFileIO, data: bytes) -> tuple[str, bytes] | None:
    """Return the whole object if it is a Word, Excel or PowerPoint document in a binary format."""
    extension = next((kind for stream, kind in _DOCUMENT_STREAMS.items() if file.exists(stream)), None)
    return (f"object.{extension}", data) if extension else None


def _parse_native(stream: bytes) -> tuple[str, bytes] | None:
    """Parse an Ole10Native stream: a label and two paths, followed by the size and bytes of the file."""
    try:
        (kind,) = struct.unpack_from("<H", stream, 4)
        if kind != 2:  # other kinds contain data that only their program can read
            return None
        label, offset = _read_string(stream, 6)
        _, offset = _read_string(stream, offset)
        (length,) = struct.unpack_from("<I", stream, offset + 4)
        offset += 8 + length
        (size,) = struct.unpack_from("<I", stream, offset)
    except (struct.error, ValueError):
        return None
    return label, stream[offset + 4 : offset + 4 + size]


def _read_string(stream: bytes, offset: int) -> tuple[str, int]:
    end = stream.index(b"\x00", offset)
    return decode(stream[offset:end]), end + 1
