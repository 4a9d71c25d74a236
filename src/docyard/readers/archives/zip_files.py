"""Zip archives: a list of what is inside; each file in it can become a document of its own."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.names import clean_name
from docyard.model.values import Attachment, Extracted
from docyard.readers import markdown, zip_container


def read(path: Path, limits: Limits) -> Extracted:
    """The members as a table; only files with content that need no password are offered as documents."""
    with zip_container.opened(path, limits) as zipped:
        members = list(enumerate(zipped.infolist()))
    files = [(place, member) for place, member in members if _is_file(member)]
    rows = [
        ["Name", "Size"],
        *([zip_container.shown(member.filename), f"{member.file_size:,}"] for _, member in files),
    ]
    attachments = [
        Attachment(str(place), clean_name(member.filename, limits.name_bytes), member.file_size)
        for place, member in files
        if member.file_size and not zip_container.is_locked(member)
    ]
    notes = _notes([member for _, member in members])
    return markdown.extracted([markdown.table(rows)], limits, notes=notes, attachments=attachments)


def member(path: Path, place: str, limits: Limits) -> bytes:
    """The bytes of one member; its name never becomes a path."""
    with zip_container.opened(path, limits) as zipped:
        if not place.isdecimal() or int(place) >= len(zipped.infolist()):
            raise Reject("not_found", "The archive has no member at this place.")
        return zip_container.read_place(zipped, int(place), limits)


def _is_file(member: zipfile.ZipInfo) -> bool:
    kind = stat.S_IFMT(member.external_attr >> 16)
    folder = member.filename.endswith("/")  # asking the member fails where its name is empty
    if folder or kind not in (0, stat.S_IFREG):  # a link could lead anywhere
        return False
    return not zip_container.is_litter(member.filename)


def _notes(members: list[zipfile.ZipInfo]) -> list[str]:
    locked = sum(map(zip_container.is_locked, members))
    links = sum(stat.S_ISLNK(member.external_attr >> 16) for member in members)
    notes = []
    if locked:
        notes.append(f"{locked:,} files in the archive need a password.")
    if links:
        notes.append(f"{links:,} links in the archive were passed over.")
    return notes
