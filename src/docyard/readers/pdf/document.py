"""Opening of PDF files with pdfium, independently of the files opened before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from docyard.errors import Reject

_MAX_IN_MEMORY = 32 << 20
_NOT_A_PDF = b"-"
NEEDS_PASSWORD = "The PDF needs a password."  # noqa: S105 - an error message, not a password
_ENCRYPTION_ERRORS = {
    pdfium.FPDF_ERR_PASSWORD: NEEDS_PASSWORD,
    pdfium.FPDF_ERR_SECURITY: "The PDF uses an encryption method that is not supported.",
}


@contextmanager
def open_document(path: Path, password: str | None = None) -> Iterator[Any]:
    """Open a PDF; raise Reject if it is damaged, has no pages, or needs another password."""
    # pdfium is 5 % faster if the file is in memory.
    file = path.read_bytes() if path.stat().st_size <= _MAX_IN_MEMORY else path
    _reset_error()
    try:
        document = pypdfium2.PdfDocument(file, password=password)
    except pypdfium2.PdfiumError as error:
        # `from None`, because the traceback of the cause could carry the password into a log.
        raise _make_refusal(error.err_code) from None
    with closing(document):
        yield document


def _reset_error() -> None:
    """Replace the error code that pdfium keeps from earlier files by that of a damaged file.

    pdfium has no function for it. A document that opens but has no pages would get the earlier code.
    """
    pdfium.FPDF_LoadMemDocument64(_NOT_A_PDF, len(_NOT_A_PDF), None)


def _make_refusal(code: int | None) -> Reject:
    if code in _ENCRYPTION_ERRORS:
        return Reject("encrypted", _ENCRYPTION_ERRORS[code])
    return Reject("corrupt", "The PDF is damaged or was cut off, and cannot be opened.")
