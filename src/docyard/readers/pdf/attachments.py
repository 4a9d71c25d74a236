"""Files inside PDF files, embedded or pinned to a page: which there are, and their bytes.

pdfium tells how long a file is only by unpacking it, and a bomb ends the process that does so. Hence another
process looks, and says what it finds as it goes: the text of the document does not depend on it.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.names import clean_name
from docyard.model.values import Attachment
from docyard.readers.pdf.annotations import annotation

_LOOKING_SECONDS = 60


def listed(
    path: Path, limits: Limits, pinned: Sequence[tuple[int, int]] = ()
) -> tuple[list[Attachment], list[str]]:
    """The files with content, and a note on those that could not be looked at."""
    with closing(pypdfium2.PdfDocument(path)) as document:
        count = document.count_attachments()
    places = [*map(str, range(count)), *(f"{page}.{at}" for page, at in pinned)][: limits.archive_members]
    if not places:
        return [], []
    command = [sys.executable, "-P", "-m", __name__, str(path), str(limits.unpacked_bytes), *places]
    try:
        said = subprocess.run(command, capture_output=True, timeout=_LOOKING_SECONDS, check=False).stdout
    except subprocess.TimeoutExpired as late:
        said = late.stdout or b""
    found = [json.loads(line) for line in said.splitlines(keepends=True) if line.endswith(b"\n")]
    told = zip(places, found, strict=False)
    files = [_attachment(place, name, size, limits) for place, (name, size) in told if size]
    left = len(places) - len(found)
    notes = [f"{left:,} files inside it could not be taken out: they are damaged or too large."]
    return files, notes if left else []


def member(path: Path, place: str, limits: Limits) -> bytes:
    """The bytes of one file; its name never becomes a path."""
    try:
        with closing(pypdfium2.PdfDocument(path)) as document:
            attachment = _at(document, place)
            if attachment is None:
                raise Reject("not_found", "The PDF has no file at this place.")
            if _length(attachment) > limits.upload_bytes:
                raise Reject("validation", "The file inside the PDF is too large.")
            return bytes(attachment.get_data())
    except pypdfium2.PdfiumError as error:
        raise Reject("corrupt", "The file inside the PDF is damaged.") from error


def look(path: Path, most_bytes: int, places: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Name and length of each file, until they come to more than that many bytes."""
    with closing(pypdfium2.PdfDocument(path)) as document:
        for place in places:
            attachment = _at(document, place)
            length = _length(attachment) if attachment else 0
            most_bytes -= length
            if most_bytes < 0:
                return
            yield _name(attachment) if attachment else "", length


def _at(document: Any, place: str) -> Any:
    """The file of that number, or the one pinned to a page, both counted from nought; None without one."""
    page, dot, number = place.partition(".")
    if not (page.isascii() and page.isdecimal() and (not dot or (number.isascii() and number.isdecimal()))):
        return None
    if not dot:
        return document.get_attachment(int(page)) if int(page) < document.count_attachments() else None
    if int(page) >= len(document):
        return None
    with closing(document[int(page)]) as opened, annotation(opened.raw, int(number)) as found:
        raw = pdfium.FPDFAnnot_GetFileAttachment(found) if found else None
        return pypdfium2.PdfAttachment(raw, document) if raw else None


def _attachment(place: str, name: str, size: int, limits: Limits) -> Attachment:
    number = int(place.rpartition(".")[2]) + 1
    return Attachment(place, clean_name(name or f"file {number}", limits.name_bytes), size)


def _length(attachment: Any) -> int:
    length = ctypes.c_ulong()
    return length.value if pdfium.FPDFAttachment_GetFile(attachment, None, 0, length) else 0


def _name(attachment: Any) -> str:
    try:
        return str(attachment.get_name())
    except (pypdfium2.PdfiumError, UnicodeError):
        return ""


if __name__ == "__main__":
    for each in look(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]):
        sys.stdout.write(f"{json.dumps(each)}\n")
        sys.stdout.flush()  # what was said stays said, whatever the next one does to this process
