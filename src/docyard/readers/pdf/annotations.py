"""What people have put onto PDF pages: values of forms, text typed over them, remarks, pinned files."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from docyard.readers import markdown
from docyard.readers.text import clean

_MOST_LOOKED_AT = 5000  # on a page
_LONGEST_REMARK, _MOST_BYTES = 20_000, 16 << 20
_MAY_BE_CUT = 60  # letters of a value: fields show as much of it as they have room for
_DRAWN = frozenset((pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_STAMP))
_NO_REMARK = frozenset((pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP, pdfium.FPDF_ANNOT_REDACT))


@dataclass(frozen=True, slots=True)
class Remark:
    """What somebody remarked, and who and when in words."""

    words: str
    by: str

    def __str__(self) -> str:
        return f"{self.by}: {self.words}"


@dataclass(frozen=True, slots=True)
class Annotations:
    """What is on one page: whether some of it is text to be drawn, remarks, and places of pinned files."""

    drawn: bool = False
    remarks: tuple[Remark, ...] = ()
    files: tuple[int, ...] = ()


def annotations_of(page: int) -> Annotations:
    """What people have put onto a loaded page."""
    count = min(int(pdfium.FPDFPage_GetAnnotCount(_handle(page))), _MOST_LOOKED_AT)
    if count < 1:
        return Annotations()
    kinds: set[int] = set()
    remarks: list[Remark] = []
    files: list[int] = []
    for place in range(count):
        with annotation(_handle(page), place) as found:
            kind = int(pdfium.FPDFAnnot_GetSubtype(found)) if found else pdfium.FPDF_ANNOT_UNKNOWN
            kinds.add(kind)
            if kind == pdfium.FPDF_ANNOT_FILEATTACHMENT:
                files.append(place)
            remarks += _remarks(found, kind) if found else []
    return Annotations(bool(kinds & _DRAWN), tuple(dict.fromkeys(remarks)), tuple(files))


def _remarks(found: Any, kind: int) -> list[Remark]:
    """What an annotation says; of fields those values that may be longer than what is shown of them."""
    if kind == pdfium.FPDF_ANNOT_WIDGET:
        value = _value(found, b"V") if _value(found, b"FT") == "Tx" else ""
        return [Remark(value, _value(found, b"T") or "Value")] if len(value) > _MAY_BE_CUT else []
    words = "" if kind in _NO_REMARK else _value(found, b"Contents")
    return [Remark(words, _signed(found))] if words else []


@contextmanager
def annotation(page: Any, place: int) -> Iterator[Any]:
    """One annotation of a page, or None."""
    found = pdfium.FPDFPage_GetAnnot(page, place)
    try:
        yield found or None
    finally:
        if found:
            pdfium.FPDFPage_CloseAnnot(found)


def draw(document: Any, index: int) -> bool:
    """Make what is filled in and typed onto a page part of it, as printing does; whether it changed."""
    if document.formenv is None and document.get_formtype() != pdfium.FORMTYPE_NONE:
        document.init_forms()  # fields that were filled in by programs are drawn by it
    try:
        with closing(document[index]) as page:
            flat = pdfium.FPDFPage_Flatten(page.raw, pdfium.FLAT_NORMALDISPLAY)
            return bool(flat == pdfium.FLATTEN_SUCCESS)
    except pypdfium2.PdfiumError:
        return False


def untold(remarks: tuple[Remark, ...], text: str) -> list[str]:
    """The remarks that are not already part of the page's text."""
    told = markdown.one_line(text)
    return [str(each) for each in remarks if each.words not in told]


def _signed(found: Any) -> str:
    author, date = _value(found, b"T"), _value(found, b"M")
    digits = date.removeprefix("D:")[:8]
    day = f"{digits[:4]}-{digits[4:6]}-{digits[6:]}" if len(digits) == 8 and digits.isdecimal() else ""
    return markdown.signed(author, day)


def _value(found: Any, key: bytes) -> str:
    length = int(pdfium.FPDFAnnot_GetStringValue(found, key, None, 0))
    if length <= 2 or length > _MOST_BYTES:
        return ""
    room = ctypes.create_string_buffer(length)
    pdfium.FPDFAnnot_GetStringValue(found, key, ctypes.cast(room, ctypes.POINTER(ctypes.c_ushort)), length)
    return markdown.one_line(clean(room.raw.decode("utf-16-le", "replace")[:_LONGEST_REMARK]))


def _handle(page: int) -> Any:
    return ctypes.cast(page, pdfium.FPDF_PAGE)
