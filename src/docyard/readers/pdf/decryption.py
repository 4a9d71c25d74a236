"""Decrypted copies of password-protected PDF files."""

from __future__ import annotations

import io
from pathlib import Path

import pypdfium2.raw as pdfium

from docyard.errors import Reject
from docyard.readers.pdf.document import NEEDS_PASSWORD, open_document

WRONG_PASSWORD = "This password does not open the PDF."  # noqa: S105 - an error message, not a password


def decrypt_pdf(path: Path, password: str) -> bytes:
    """Return an unencrypted copy of the document; raise Reject if the password does not open it."""
    copy = io.BytesIO()
    try:
        with open_document(path, password) as document:
            document.save(copy, flags=pdfium.FPDF_REMOVE_SECURITY)
    except Reject as refusal:
        if refusal.message == NEEDS_PASSWORD:
            raise Reject("encrypted", WRONG_PASSWORD) from None
        raise
    return copy.getvalue()
