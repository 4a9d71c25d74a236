"""Files packed by gzip, bzip2 or xz: one file, or an archive of many, unpacked only as it is read."""

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
from docyard.model.values import Attachment, Extracted
from docyard.readers import markdown, zip_container
from docyard.readers.archives import tar_files
from docyard.readers.text import decode

_STEP = 1 << 20
_TAR_MARK, _TAR_MARK_AT = b"ustar", 257
_ONE = "content"
_GZIP, _BZIP2 = b"\x1f\x8b", b"BZh"
_NAMED, _EXTRA = 0x08, 0x04
_DAMAGE = (zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)


class Bounded(io.RawIOBase):
    """What is unpacked, refused as soon as it becomes more than the limits allow."""

    def __init__(self, source: BinaryIO, packed: int, limits: Limits) -> None:
        self._source, self._packed, self._limits = source, packed, limits
        self.count = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: object) -> int:
        """The next bytes, never many at once."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        data = self._source.read(min(len(view), _STEP))
        view[: len(data)] = data
        self.count += len(data)
        zip_container.check_bytes(self.count, self._limits)
        zip_container.check_ratio(self.count, self._packed, self._limits)
        return len(data)


def read(path: Path, limits: Limits) -> Extracted:
    """The files of an archive, or the one file there is."""
    with _opened(path, limits) as (stream, is_tar):
        if is_tar:
            return tar_files.read_stream(stream, limits, seekable=False)
        size = 0
        while piece := stream.read(_STEP):
            size += len(piece)
    name = clean_name(_name(path), limits.name_bytes)
    rows = [["Name", "Size"], [name, f"{size:,}"]]
    attachments = [Attachment(_ONE, name, size)] if size else []
    return markdown.extracted([markdown.table(rows)], limits, attachments=attachments)


def member(path: Path, place: str, limits: Limits) -> bytes:
    """The bytes of one file."""
    with _opened(path, limits) as (stream, is_tar):
        if is_tar:
            return tar_files.member_stream(stream, place, limits, seekable=False)
        if place != _ONE:
            raise Reject("not_found", "There is no such file inside.")
        data = stream.read(limits.upload_bytes + 1)
    if len(data) > limits.upload_bytes:
        raise Reject("validation", "The file inside the archive is too large.")
    return data


@contextmanager
def _opened(path: Path, limits: Limits) -> Iterator[tuple[BinaryIO, bool]]:
    """What is unpacked, and whether it is an archive."""
    try:
        with path.open("rb") as file, _unpacker(file) as unpacked:
            bounded = Bounded(unpacked, path.stat().st_size, limits)
            stream = io.BufferedReader(bounded, _STEP)
            head = stream.peek(_TAR_MARK_AT + len(_TAR_MARK))
            yield cast("BinaryIO", stream), head.startswith(_TAR_MARK, _TAR_MARK_AT)
    except _DAMAGE as error:
        raise Reject("corrupt", "The file is damaged: what is packed inside cannot be read.") from error


def _unpacker(file: BinaryIO) -> BinaryIO:
    head = file.read(6)
    file.seek(0)
    if head.startswith(_GZIP):
        return cast("BinaryIO", gzip.GzipFile(fileobj=file))
    return cast("BinaryIO", bz2.BZ2File(file) if head.startswith(_BZIP2) else lzma.LZMAFile(file))


def _name(path: Path) -> str:
    """The name in the head of a gzip file; the others tell none."""
    with path.open("rb") as file:
        head = file.read(1024)
    if not head.startswith(_GZIP) or len(head) < 10 or not head[3] & _NAMED:
        return _ONE
    start = 12 + int.from_bytes(head[10:12], "little") if head[3] & _EXTRA else 10
    return decode(head[start:].partition(b"\x00")[0]) or _ONE
