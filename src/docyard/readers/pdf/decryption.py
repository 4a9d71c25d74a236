"""Decrypted copies of password-protected PDF files."""

from __future__ import annotations

import io
from contextlib import closing
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium

from docyard.errors import Reject

WRONG_PASSWORD = "This password does not open the PDF."  # noqa: S105 - an error message, not a password


def decrypt_pdf(path: Path, password: str) -> bytes:
    """Return an unencrypted copy of the document; raise Reject if the password does not open it."""
    try:
        document = pypdfium2.PdfDocument(path, password=password)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            # `from None`, because the traceback of the cause could carry the password into a log.
            raise Reject("encrypted", WRONG_PASSWORD) from None
        raise Reject("corrupt", "The PDF is damaged or uses an encryption method that is not supported.") from None
    copy = io.BytesIO()
    with closing(document):
        document.save(copy, flags=pdfium.FPDF_REMOVE_SECURITY)
    return copy.getvalue()
