"""Tar archives as a table of their regular files, which can become separate documents."""

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
from docyard.model.stage_values import Attachment, ExtractedText
from docyard.readers import markdown, zip_archive

_DAMAGE = (tarfile.TarError, zlib.error, EOFError, OSError, ValueError, OverflowError)


def read(path: Path, limits: Limits) -> ExtractedText:
    """List the files of a tar archive."""
    with path.open("rb") as file:
        return read_stream(file, limits)


def read_member(path: Path, member_id: str, limits: Limits) -> bytes:
    """Return the bytes of one file; its name is never used as a path."""
    with path.open("rb") as file:
        return read_stream_member(file, member_id, limits)


def read_stream(stream: BinaryIO, limits: Limits, *, seekable: bool = True) -> ExtractedText:
    """Return the regular files as a table; those with content become attachments."""
    rows, attachments, skipped, total = [["Name", "Size"]], list[Attachment](), 0, 0
    with _open_tar(stream, seekable=seekable) as members:
        for index, each in enumerate(members):
            if index >= limits.archive_members:
                raise Reject("validation", f"The archive has more than {limits.archive_members:,} members.")
            total += each.size
            zip_archive.check_unpacked_size(total, limits)
            if not _is_file(each):
                skipped += not each.isdir()
                continue
            if zip_archive.is_system_file(each.name):
                continue
            rows.append([zip_archive.printable_name(each.name), f"{each.size:,}"])
            if each.size:
                attachments.append(Attachment(str(index), clean_name(each.name, limits.name_bytes), each.size))
    notes = [f"Links, devices and sparse files in the archive that were skipped: {skipped:,}."]
    return markdown.build_extracted(
        [markdown.table(rows)], limits, notes=notes if skipped else (), attachments=attachments
    )


def read_stream_member(stream: BinaryIO, member_id: str, limits: Limits, *, seekable: bool = True) -> bytes:
    """Return the bytes of the file at this index of the archive."""
    with _open_tar(stream, seekable=seekable) as members:
        for index, each in enumerate(members):
            if str(index) == member_id and _is_file(each):
                if each.size > limits.upload_bytes:
                    raise Reject("validation", "The file in the archive exceeds the upload size limit.")
                file = members.extractfile(each)
                return file.read() if file else b""
    raise Reject("not_found", "The archive has no such file.")


def _is_file(each: tarfile.TarInfo) -> bool:
    # A link could point anywhere, and a sparse file can expand to any size.
    return each.isreg() and not each.issparse()


@contextmanager
def _open_tar(stream: BinaryIO, *, seekable: bool) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(fileobj=stream, mode="r:" if seekable else "r|") as archive:
            yield archive
    except _DAMAGE as error:
        raise Reject("corrupt", "The file is damaged: its contents cannot be unpacked.") from error
