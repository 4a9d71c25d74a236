"""A copy of a protected PDF file without its protection, for whoever knows the password."""

from __future__ import annotations

import io
from contextlib import closing
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium

from docyard.errors import Reject

WRONG_PASSWORD = "This password does not open the PDF."  # noqa: S105 - it says that one was wrong


def unlocked(path: Path, password: str) -> bytes:
    """The same document, readable by everyone."""
    try:
        document = pypdfium2.PdfDocument(path, password=password)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            # Without what caused it: nothing of the password may reach a log.
            raise Reject("encrypted", WRONG_PASSWORD) from None
        raise Reject("corrupt", "The PDF is damaged or protected in an unknown way.") from None
    copy = io.BytesIO()
    with closing(document):
        document.save(copy, flags=pdfium.FPDF_REMOVE_SECURITY)
    return copy.getvalue()
