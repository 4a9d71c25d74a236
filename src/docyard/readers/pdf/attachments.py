"""Files embedded in a PDF or attached to its pages: their list and their bytes.

pdfium has to unpack a file to report its length, and a decompression bomb kills the process that does so.
Therefore a separate process lists the files and prints each result immediately. If it is killed, the files
listed so far and the text of the document are not lost.
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
from docyard.model.stage_values import Attachment
from docyard.readers.pdf.annotations import open_annotation
from docyard.readers.pdf.document import open_document

_LIST_SECONDS = 60


def list_attachments(
    path: Path, limits: Limits, page_files: Sequence[tuple[int, int]] = ()
) -> tuple[list[Attachment], list[str]]:
    """Return the non-empty files, and a note if some could not be read.

    `page_files` contains the page index and annotation index of each file that is attached to a page.
    """
    with open_document(path) as document:
        count = document.count_attachments()
    page_keys = (f"{page}.{index}" for page, index in page_files)
    keys = [*map(str, range(count)), *page_keys][: limits.archive_members]
    if not keys:
        return [], []
    command = [sys.executable, "-P", "-m", __name__, str(path), str(limits.unpacked_bytes), *keys]
    try:
        output = subprocess.run(command, capture_output=True, timeout=_LIST_SECONDS, check=False).stdout
    except subprocess.TimeoutExpired as expired:
        output = expired.stdout or b""
    results = [json.loads(line) for line in output.splitlines(keepends=True) if line.endswith(b"\n")]
    listing = zip(keys, results, strict=False)
    attachments = [_make_attachment(key, name, size, limits) for key, (name, size) in listing if size]
    missing = len(keys) - len(results)
    notes = [f"Attachments that could not be extracted because of damage or the size limit: {missing:,}."]
    return attachments, notes if missing else []


def read_member(path: Path, key: str, limits: Limits) -> bytes:
    """Return the bytes of the file with this key."""
    try:
        with open_document(path) as document:
            attachment = _open_attachment(document, key)
            if attachment is None:
                raise Reject("not_found", "The PDF has no such attachment.")
            if _read_length(attachment) > limits.upload_bytes:
                raise Reject("validation", "The attachment in the PDF exceeds the upload size limit.")
            return bytes(attachment.get_data())
    except pypdfium2.PdfiumError as error:
        raise Reject("corrupt", "The attachment in the PDF is damaged.") from error


def iter_attachments(path: Path, max_bytes: int, keys: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield the name and length of each file; stop before their total exceeds `max_bytes`."""
    with open_document(path) as document:
        for key in keys:
            attachment = _open_attachment(document, key)
            length = _read_length(attachment) if attachment else 0
            max_bytes -= length
            if max_bytes < 0:
                return
            yield _read_name(attachment) if attachment else "", length


def _open_attachment(document: Any, key: str) -> Any:
    """Return the file with this key, or None if it does not exist.

    Keys are `index` for an embedded file and `page.annotation` for a file on a page, counted from zero.
    """
    page, dot, number = key.partition(".")
    if not (page.isascii() and page.isdecimal() and (not dot or (number.isascii() and number.isdecimal()))):
        return None
    if not dot:
        return document.get_attachment(int(page)) if int(page) < document.count_attachments() else None
    if int(page) >= len(document):
        return None
    with closing(document[int(page)]) as opened_page, open_annotation(opened_page.raw, int(number)) as handle:
        raw = pdfium.FPDFAnnot_GetFileAttachment(handle) if handle else None
        return pypdfium2.PdfAttachment(raw, document) if raw else None


def _make_attachment(key: str, name: str, size: int, limits: Limits) -> Attachment:
    number = int(key.rpartition(".")[2]) + 1
    return Attachment(key, clean_name(name or f"file {number}", limits.name_bytes), size)


def _read_length(attachment: Any) -> int:
    length = ctypes.c_ulong()
    return length.value if pdfium.FPDFAttachment_GetFile(attachment, None, 0, length) else 0


def _read_name(attachment: Any) -> str:
    try:
        return str(attachment.get_name())
    except (pypdfium2.PdfiumError, UnicodeError):
        return ""


if __name__ == "__main__":
    for each in iter_attachments(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]):
        sys.stdout.write(f"{json.dumps(each)}\n")
        sys.stdout.flush()  # so that the result is not lost if the next file kills this process
