"""Files embedded in PDF files, such as the data of an electronic invoice: which there are, and their bytes.

pdfium tells how long a file is only by unpacking it, and a bomb ends the process that does so. Hence another
process looks, and says what it finds as it goes: the text of the document does not depend on it.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.names import clean_name
from docyard.model.values import Attachment

_LOOKING_SECONDS = 60


def listed(path: Path, limits: Limits) -> tuple[list[Attachment], list[str]]:
    """The files with content, and a note on those that could not be looked at."""
    with closing(pypdfium2.PdfDocument(path)) as document:
        count = document.count_attachments()
    if count < 1:
        return [], []
    command = [sys.executable, "-P", "-m", __name__, str(path), str(limits.unpacked_bytes)]
    try:
        said = subprocess.run(command, capture_output=True, timeout=_LOOKING_SECONDS, check=False).stdout
    except subprocess.TimeoutExpired as late:
        said = late.stdout or b""
    found = [json.loads(line) for line in said.splitlines(keepends=True) if line.endswith(b"\n")]
    files = [_attachment(place, name, size, limits) for place, (name, size) in enumerate(found) if size]
    left = count - len(found)
    notes = [f"{left:,} files inside it could not be taken out: they are damaged or too large."]
    return files, notes if left else []


def member(path: Path, place: str, limits: Limits) -> bytes:
    """The bytes of one file; its name never becomes a path."""
    try:
        with closing(pypdfium2.PdfDocument(path)) as document:
            if not place.isdecimal() or int(place) >= document.count_attachments():
                raise Reject("not_found", "The PDF has no file at this place.")
            attachment = document.get_attachment(int(place))
            if _length(attachment) > limits.upload_bytes:
                raise Reject("validation", "The file inside the PDF is too large.")
            return bytes(attachment.get_data())
    except pypdfium2.PdfiumError as error:
        raise Reject("corrupt", "The file inside the PDF is damaged.") from error


def look(path: Path, most_bytes: int) -> Iterator[tuple[str, int]]:
    """Name and length of each file, until they come to more than that many bytes."""
    with closing(pypdfium2.PdfDocument(path)) as document:
        for place in range(document.count_attachments()):
            attachment = document.get_attachment(place)
            length = _length(attachment)
            most_bytes -= length
            if most_bytes < 0:
                return
            yield _name(attachment), length


def _attachment(place: int, name: str, size: int, limits: Limits) -> Attachment:
    return Attachment(str(place), clean_name(name or f"file {place + 1}", limits.name_bytes), size)


def _length(attachment: Any) -> int:
    length = ctypes.c_ulong()
    return length.value if pdfium.FPDFAttachment_GetFile(attachment, None, 0, length) else 0


def _name(attachment: Any) -> str:
    try:
        return str(attachment.get_name())
    except (pypdfium2.PdfiumError, UnicodeError):
        return ""


if __name__ == "__main__":
    for each in look(Path(sys.argv[1]), int(sys.argv[2])):
        sys.stdout.write(f"{json.dumps(each)}\n")
        sys.stdout.flush()  # what was said stays said, whatever the next one does to this process
