"""Zip archives as a table of their files, which can become separate documents."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.names import clean_name
from docyard.model.stage_values import Attachment, ExtractedText
from docyard.readers import markdown, zip_archive


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return the files as a table; those with content and without a password become attachments."""
    with zip_archive.open_archive(path, limits) as zipped:
        members = list(enumerate(zipped.infolist()))
    files = [(index, member) for index, member in members if _is_file(member)]
    rows = [
        ["Name", "Size"],
        *([zip_archive.printable_name(member.filename), f"{member.file_size:,}"] for _, member in files),
    ]
    attachments = [
        Attachment(str(index), clean_name(member.filename, limits.name_bytes), member.file_size)
        for index, member in files
        if member.file_size and not zip_archive.is_encrypted(member)
    ]
    notes = _notes([member for _, member in members], [member for _, member in files])
    return markdown.build_extracted([markdown.table(rows)], limits, notes=notes, attachments=attachments)


def read_member(path: Path, member_id: str, limits: Limits) -> bytes:
    """Return the bytes of one member; its name is never used as a path."""
    with zip_archive.open_archive(path, limits) as zipped:
        if not member_id.isdecimal() or int(member_id) >= len(zipped.infolist()):
            raise Reject("not_found", "The archive has no such file.")
        return zip_archive.read_member_at(zipped, int(member_id), limits)


def _is_file(member: zipfile.ZipInfo) -> bool:
    kind = stat.S_IFMT(member.external_attr >> 16)
    is_folder = member.filename.endswith("/")  # `is_dir` fails on an empty name
    if is_folder or kind not in (0, stat.S_IFREG):  # a link could point anywhere
        return False
    return not zip_archive.is_system_file(member.filename)


def _notes(members: list[zipfile.ZipInfo], files: list[zipfile.ZipInfo]) -> list[str]:
    locked = sum(map(zip_archive.is_encrypted, files))
    links = sum(stat.S_ISLNK(member.external_attr >> 16) for member in members)
    notes = []
    if locked:
        notes.append(f"Files in the archive that need a password and were not extracted: {locked:,}.")
    if links:
        notes.append(f"Links in the archive that were skipped: {links:,}.")
    return notes
