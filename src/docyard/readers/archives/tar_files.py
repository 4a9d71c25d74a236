"""Tar archives: a list of what is inside; each plain file in it can become a document of its own."""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.names import clean_name
from docyard.model.values import Attachment, Extracted
from docyard.readers import markdown, zip_container

_DAMAGE = (tarfile.TarError, zlib.error, EOFError, OSError, ValueError, OverflowError)


def read(path: Path, limits: Limits) -> Extracted:
    """The files of an archive."""
    with path.open("rb") as file:
        return read_stream(file, limits)


def member(path: Path, place: str, limits: Limits) -> bytes:
    """The bytes of one file; its name never becomes a path."""
    with path.open("rb") as file:
        return member_stream(file, place, limits)


def read_stream(stream: BinaryIO, limits: Limits, *, seekable: bool = True) -> Extracted:
    """The members as a table; only files with content are offered as documents."""
    rows, attachments, others, total = [["Name", "Size"]], list[Attachment](), 0, 0
    with _opened(stream, seekable=seekable) as members:
        for place, each in enumerate(members):
            if place >= limits.archive_members:
                raise Reject("validation", f"The archive has more than {limits.archive_members:,} members.")
            total += each.size
            zip_container.check_bytes(total, limits)
            if not _is_file(each):
                others += not each.isdir()
                continue
            if zip_container.is_litter(each.name):
                continue
            rows.append([zip_container.shown(each.name), f"{each.size:,}"])
            if each.size:
                attachments.append(
                    Attachment(str(place), clean_name(each.name, limits.name_bytes), each.size)
                )
    notes = [f"{others:,} links, devices or files with holes in the archive were passed over."]
    return markdown.extracted(
        [markdown.table(rows)], limits, notes=notes if others else (), attachments=attachments
    )


def member_stream(stream: BinaryIO, place: str, limits: Limits, *, seekable: bool = True) -> bytes:
    """The bytes of the file at a place of the archive."""
    with _opened(stream, seekable=seekable) as members:
        for number, each in enumerate(members):
            if str(number) == place and _is_file(each):
                if each.size > limits.upload_bytes:
                    raise Reject("validation", "The file inside the archive is too large.")
                opened = members.extractfile(each)
                return opened.read() if opened else b""
    raise Reject("not_found", "The archive has no file at this place.")


def _is_file(each: tarfile.TarInfo) -> bool:
    # A link could lead anywhere, and a file with holes may be any length.
    return each.isreg() and not each.issparse()


@contextmanager
def _opened(stream: BinaryIO, *, seekable: bool) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(fileobj=stream, mode="r:" if seekable else "r|") as opened:
            yield opened
    except _DAMAGE as error:
        raise Reject("corrupt", "The file is damaged: what is packed inside cannot be read.") from error
