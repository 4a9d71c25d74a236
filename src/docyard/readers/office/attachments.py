"""Files embedded in Office Open XML files: office files, or any file wrapped in an OLE object."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.names import clean_name
from docyard.model.stage_values import Attachment
from docyard.readers import zip_archive
from docyard.readers.container_types import OLE_SIGNATURE
from docyard.readers.office import package
from docyard.readers.office.ole_object import extract_file

_EMBEDDED = re.compile(r"(?:word|xl|ppt)/embeddings/[^/]+")
_CHARTS = r"(?:word|xl|ppt)/charts/[^/]+\.xml"


def list_attachments(path: Path, limits: Limits) -> tuple[list[Attachment], list[str]]:
    """Return the embedded files, and a note if some are unreadable; chart data and formulas are left out."""
    found, unreadable = [], 0
    with package.open_package(path, limits) as ooxml:
        for name in _list_embedded(ooxml):
            try:
                content = _read_content(ooxml.zip, name, limits)
            except (Reject, *zip_archive.ARCHIVE_ERRORS):
                unreadable += 1
                continue
            if content and content[1]:
                display_name = clean_name(content[0] or PurePosixPath(name).name, limits.name_bytes)
                found.append(Attachment(name, display_name, len(content[1])))
    notes = [f"Attachments that could not be extracted because of damage or the size limit: {unreadable:,}."]
    return found, notes if unreadable else []


def read_member(path: Path, name: str, limits: Limits) -> bytes:
    """Return the bytes of one embedded file."""
    with package.open_package(path, limits) as ooxml:
        content = _read_content(ooxml.zip, name, limits) if _EMBEDDED.fullmatch(name) else None
        if content is None:
            raise Reject("not_found", "The document has no such attachment.")
        return content[1]


def _list_embedded(ooxml: package.Package) -> Iterator[str]:
    """Yield the names of embedded parts, except those that contain the data of charts."""
    names = [name for name in ooxml.zip.NameToInfo if _EMBEDDED.fullmatch(name)]
    if not names:
        return
    chart_data = {
        target for chart in ooxml.find_parts(_CHARTS) for _, target in ooxml.read_relationships(chart).values()
    }
    yield from (name for name in names if name not in chart_data)


def _read_content(zipped: zipfile.ZipFile, name: str, limits: Limits) -> tuple[str, bytes] | None:
    """Return the file's name, which may be empty, and its bytes; None if the part contains no file."""
    data = zip_archive.read_optional_member(zipped, name, limits)
    if data is None:
        return None
    return extract_file(data, limits) if data.startswith(OLE_SIGNATURE) else ("", data)
