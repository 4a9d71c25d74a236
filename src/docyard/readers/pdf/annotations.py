"""Annotations of PDF pages: form values, typed text, comments and attached files."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from docyard.readers import markdown
from docyard.readers.text import remove_invalid_characters

_MAX_ANNOTATIONS = 5000  # per page
_MAX_REMARK_CHARS, _MAX_VALUE_BYTES = 20_000, 16 << 20
_MAX_SHOWN_CHARS = 60  # longer values of form fields become remarks: a field may not show them in full
_DRAWN_TYPES = frozenset((pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_STAMP))
_IGNORED_TYPES = frozenset((pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP, pdfium.FPDF_ANNOT_REDACT))


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment or form value, with its label: author and date, or the name of the form field."""

    text: str
    label: str

    def __str__(self) -> str:
        return f"{self.label}: {self.text}"


@dataclass(frozen=True, slots=True)
class Annotations:
    """The annotations of a page: whether any may draw text, the remarks, and indexes of attached files."""

    has_drawn_text: bool = False
    remarks: tuple[Remark, ...] = ()
    file_indexes: tuple[int, ...] = ()


def read_annotations(page: int) -> Annotations:
    """Return the annotations of a loaded page."""
    count = min(int(pdfium.FPDFPage_GetAnnotCount(_page_handle(page))), _MAX_ANNOTATIONS)
    if count < 1:
        return Annotations()
    subtypes: set[int] = set()
    remarks: list[Remark] = []
    files: list[int] = []
    for index in range(count):
        with open_annotation(_page_handle(page), index) as handle:
            subtype = int(pdfium.FPDFAnnot_GetSubtype(handle)) if handle else pdfium.FPDF_ANNOT_UNKNOWN
            subtypes.add(subtype)
            if subtype == pdfium.FPDF_ANNOT_FILEATTACHMENT:
                files.append(index)
            remarks += _read_remarks(handle, subtype) if handle else []
    return Annotations(bool(subtypes & _DRAWN_TYPES), tuple(dict.fromkeys(remarks)), tuple(files))


def _read_remarks(handle: Any, subtype: int) -> list[Remark]:
    """Return the remark of an annotation, if any; a text field has one only if its value is long."""
    if subtype == pdfium.FPDF_ANNOT_WIDGET:
        value = _read_string(handle, b"V") if _read_string(handle, b"FT") == "Tx" else ""
        return [Remark(value, _read_string(handle, b"T") or "Value")] if len(value) > _MAX_SHOWN_CHARS else []
    text = "" if subtype in _IGNORED_TYPES else _read_string(handle, b"Contents")
    return [Remark(text, _read_label(handle))] if text else []


@contextmanager
def open_annotation(page: Any, index: int) -> Iterator[Any]:
    """Open one annotation of a page; yield None if it cannot be opened."""
    handle = pdfium.FPDFPage_GetAnnot(page, index)
    try:
        yield handle or None
    finally:
        if handle:
            pdfium.FPDFPage_CloseAnnot(handle)


def flatten_annotations(document: Any, index: int) -> bool:
    """Flatten form values and typed text into the page content; return whether the page changed."""
    if document.formenv is None and document.get_formtype() != pdfium.FORMTYPE_NONE:
        document.init_forms()  # draws values that a program set without drawing them
    try:
        with closing(document[index]) as page:
            result = pdfium.FPDFPage_Flatten(page.raw, pdfium.FLAT_NORMALDISPLAY)
            return bool(result == pdfium.FLATTEN_SUCCESS)
    except pypdfium2.PdfiumError:
        return False


def find_missing_remarks(remarks: tuple[Remark, ...], text: str) -> list[str]:
    """Return the remarks that the page text does not already contain, each with its label."""
    flat_text = markdown.collapse_whitespace(text)
    return [str(each) for each in remarks if each.text not in flat_text]


def _read_label(handle: Any) -> str:
    author, modified = _read_string(handle, b"T"), _read_string(handle, b"M")
    digits = modified.removeprefix("D:")[:8]
    date = f"{digits[:4]}-{digits[4:6]}-{digits[6:]}" if len(digits) == 8 and digits.isdecimal() else ""
    return markdown.comment_label(author, date)


def _read_string(handle: Any, key: bytes) -> str:
    length = int(pdfium.FPDFAnnot_GetStringValue(handle, key, None, 0))
    if length <= 2 or length > _MAX_VALUE_BYTES:
        return ""
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFAnnot_GetStringValue(handle, key, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), length)
    return markdown.collapse_whitespace(
        remove_invalid_characters(buffer.raw.decode("utf-16-le", "replace")[:_MAX_REMARK_CHARS])
    )


def _page_handle(page: int) -> Any:
    return ctypes.cast(page, pdfium.FPDF_PAGE)
