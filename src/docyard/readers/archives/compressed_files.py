"""Files compressed with gzip, bzip2 or xz: a single file or a tar archive, decompressed as a stream."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.names import clean_name
from docyard.model.stage_values import Attachment, ExtractedText
from docyard.readers import markdown, zip_archive
from docyard.readers.archives import tar_files
from docyard.readers.text import decode

_CHUNK_SIZE = 1 << 20
_TAR_MAGIC, _TAR_MAGIC_OFFSET = b"ustar", 257
_SINGLE_FILE = "content"
_GZIP, _BZIP2 = b"\x1f\x8b", b"BZh"
_HAS_NAME, _HAS_EXTRA = 0x08, 0x04
_DAMAGE = (zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)


class BoundedStream(io.RawIOBase):
    """A stream of decompressed data that raises Reject as soon as it exceeds the limits."""

    def __init__(self, source: BinaryIO, packed: int, limits: Limits) -> None:
        self._source, self._packed, self._limits = source, packed, limits
        self.count = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: object) -> int:
        """Read at most a megabyte into the buffer and return the byte count."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        data = self._source.read(min(len(view), _CHUNK_SIZE))
        view[: len(data)] = data
        self.count += len(data)
        zip_archive.check_unpacked_size(self.count, self._limits)
        zip_archive.check_ratio(self.count, self._packed, self._limits)
        return len(data)


def read(path: Path, limits: Limits) -> ExtractedText:
    """List the files of a tar archive, or the single compressed file."""
    with _open_stream(path, limits) as (stream, is_tar):
        if is_tar:
            return tar_files.read_stream(stream, limits, seekable=False)
        size = 0
        while chunk := stream.read(_CHUNK_SIZE):
            size += len(chunk)
    name = clean_name(_original_name(path), limits.name_bytes)
    rows = [["Name", "Size"], [name, f"{size:,}"]]
    attachments = [Attachment(_SINGLE_FILE, name, size)] if size else []
    return markdown.build_extracted([markdown.table(rows)], limits, attachments=attachments)


def read_member(path: Path, member_id: str, limits: Limits) -> bytes:
    """Return the bytes of one file of a tar archive, or of the single compressed file."""
    with _open_stream(path, limits) as (stream, is_tar):
        if is_tar:
            return tar_files.read_stream_member(stream, member_id, limits, seekable=False)
        if member_id != _SINGLE_FILE:
            raise Reject("not_found", "The archive has no such file.")
        data = stream.read(limits.upload_bytes + 1)
    if len(data) > limits.upload_bytes:
        raise Reject("validation", "The file in the archive exceeds the upload size limit.")
    return data


@contextmanager
def _open_stream(path: Path, limits: Limits) -> Iterator[tuple[BinaryIO, bool]]:
    """Yield the decompressed stream, and whether it is a tar archive."""
    try:
        with path.open("rb") as file, _open_decompressor(file) as unpacked:
            bounded = BoundedStream(unpacked, path.stat().st_size, limits)
            stream = io.BufferedReader(bounded, _CHUNK_SIZE)
            header = stream.peek(_TAR_MAGIC_OFFSET + len(_TAR_MAGIC))
            yield cast("BinaryIO", stream), header.startswith(_TAR_MAGIC, _TAR_MAGIC_OFFSET)
    except _DAMAGE as error:
        raise Reject("corrupt", "The file is damaged: its contents cannot be unpacked.") from error


def _open_decompressor(file: BinaryIO) -> BinaryIO:
    header = file.read(6)
    file.seek(0)
    if header.startswith(_GZIP):
        return cast("BinaryIO", gzip.GzipFile(fileobj=file))
    return cast("BinaryIO", bz2.BZ2File(file) if header.startswith(_BZIP2) else lzma.LZMAFile(file))


def _original_name(path: Path) -> str:
    """Return the file name in a gzip header, or a default; the other formats do not store a name."""
    with path.open("rb") as file:
        header = file.read(1024)
    if not header.startswith(_GZIP) or len(header) < 10 or not header[3] & _HAS_NAME:
        return _SINGLE_FILE
    start = 12 + int.from_bytes(header[10:12], "little") if header[3] & _HAS_EXTRA else 10
    return decode(header[start:].partition(b"\x00")[0]) or _SINGLE_FILE
