"""Fast, batched calls into pdfium.

A call through pypdfium2's wrappers takes several times as long as pdfium itself. Plain integers as pointers,
calls that keep the GIL, and one buffer for all results reduce the time to a third.
"""

from __future__ import annotations

import ctypes
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium

Floats = npt.NDArray[np.float32]
Codes = npt.NDArray[np.uint16]
Flags = npt.NDArray[np.bool_]
Bounds = tuple[float, float, float, float]  # left, bottom, right, top

_ADDRESS, _INT = ctypes.c_void_p, ctypes.c_int
_NAME_BYTES = 128
_name = (ctypes.c_char * _NAME_BYTES)()
_name_pointer = ctypes.byref(_name)
_NAME_LENGTH = ctypes.c_ulong(_NAME_BYTES)
_rectangle = (ctypes.c_float * 4)()
_rectangle_address = ctypes.addressof(_rectangle)
_side_addresses = range(_rectangle_address, _rectangle_address + 16, 4)
_BOLD_NAME = re.compile(rb"bold|black|heavy|demi|[-,]medi|(cm|sf)(ss)?bx", re.IGNORECASE)


def _bind(name: str, result: Any, *arguments: Any) -> Any:
    address = ctypes.cast(getattr(pdfium, name), ctypes.c_void_p).value
    return ctypes.PYFUNCTYPE(result, *arguments)(address or 0)


_load_page = _bind("FPDF_LoadPage", _ADDRESS, _ADDRESS, _INT)
_close_page = _bind("FPDF_ClosePage", None, _ADDRESS)
_load_text = _bind("FPDFText_LoadPage", _ADDRESS, _ADDRESS)
_close_text = _bind("FPDFText_ClosePage", None, _ADDRESS)
_bounds = _bind("FPDF_GetPageBoundingBox", _INT, _ADDRESS, _ADDRESS)
_width = _bind("FPDF_GetPageWidthF", ctypes.c_float, _ADDRESS)
_height = _bind("FPDF_GetPageHeightF", ctypes.c_float, _ADDRESS)
_rotation = _bind("FPDFPage_GetRotation", _INT, _ADDRESS)
_bounded_text = _bind("FPDFText_GetBoundedText", _INT, _ADDRESS, *(ctypes.c_double,) * 4, _ADDRESS, _INT)
_count_chars = _bind("FPDFText_CountChars", _INT, _ADDRESS)
_get_text = _bind("FPDFText_GetText", _INT, _ADDRESS, _INT, _INT, _ADDRESS)
# Without argument types and with prepared pointers, a call takes half the time because nothing is converted.
_loose_box = _bind("FPDFText_GetLooseCharBox", None)
_BATCH = 4096
_box_buffer = (ctypes.c_float * (4 * _BATCH))()
_boxes = np.frombuffer(memoryview(_box_buffer), np.float32).reshape(-1, 4)
_box_pointers = [ctypes.byref(_box_buffer, 16 * index) for index in range(_BATCH)]
_char_box = _bind("FPDFText_GetCharBox", _INT, _ADDRESS, _INT, *(_ADDRESS,) * 4)
_unicode = _bind("FPDFText_GetUnicode", ctypes.c_uint, _ADDRESS, _INT)
_font = _bind("FPDFText_GetFontInfo", ctypes.c_ulong)
_count_objects = _bind("FPDFPage_CountObjects", _INT, _ADDRESS)
_get_object = _bind("FPDFPage_GetObject", _ADDRESS, _ADDRESS, _INT)
_count_form_objects = _bind("FPDFFormObj_CountObjects", _INT, _ADDRESS)
_get_form_object = _bind("FPDFFormObj_GetObject", _ADDRESS, _ADDRESS, ctypes.c_ulong)
_object_type = _bind("FPDFPageObj_GetType", _INT, _ADDRESS)
_object_bounds = _bind("FPDFPageObj_GetBounds", _INT, _ADDRESS, *(_ADDRESS,) * 4)


@dataclass(frozen=True, slots=True)
class OpenPage:
    """A loaded page: its page and text handles, visible bounds, size and rotation in degrees."""

    handle: int
    text_page: int
    bounds: Bounds
    size: tuple[float, float]
    rotation: int


def open_page(document: Any, index: int) -> OpenPage | None:
    """Load a page of the document; return None if it cannot be read."""
    page = _load_page(ctypes.cast(document.raw, _ADDRESS), index)
    if not page:
        return None
    text = _load_text(page)
    if text and _bounds(page, _rectangle_address):
        left, top, right, bottom = _rectangle
        size = (_width(page), _height(page))
        return OpenPage(page, text, (left, bottom, right, top), size, _rotation(page) * 90)
    _close(page, text)
    return None


def close_pages(pages: Iterable[OpenPage | None]) -> None:
    """Close loaded pages."""
    for page in pages:
        if page is not None:
            _close(page.handle, page.text_page)


def _close(page: int, text: int | None) -> None:
    if text:
        _close_text(text)
    _close_page(page)


def count_objects(page: OpenPage) -> int:
    """Return the number of page objects."""
    return max(int(_count_objects(page.handle)), 0)


def iter_objects(page: OpenPage, max_depth: int) -> Iterator[tuple[int, Bounds]]:
    """Yield the type and bounds of each page object, with form objects expanded up to `max_depth` levels."""
    return _iter_objects(page.handle, _count_objects, _get_object, max_depth)


def _iter_objects(parent: int, count: Any, get: Any, max_depth: int) -> Iterator[tuple[int, Bounds]]:
    for index in range(count(parent)):
        page_object = get(parent, index)
        kind = _object_type(page_object) if page_object else pdfium.FPDF_PAGEOBJ_UNKNOWN
        if kind == pdfium.FPDF_PAGEOBJ_FORM and max_depth:
            yield from _iter_objects(page_object, _count_form_objects, _get_form_object, max_depth - 1)
        elif page_object and _object_bounds(page_object, *_side_addresses):
            left, bottom, right, top = _rectangle
            yield kind, (left, bottom, right, top)


def count_characters(page: int) -> int:
    """Return the number of characters on the page, including those that pdfium inserts."""
    return max(int(_count_chars(page)), 0)


def read_char_codes(page: int, count: int) -> Codes | None:
    """Return the text as one UTF-16 code per character; None if pdfium returns more or fewer codes."""
    buffer = np.empty(count + 1, np.uint16)
    written = _get_text(page, 0, count, buffer.ctypes.data)
    return buffer[:-1] if written == count + 1 else None


def read_raw_text(page: int) -> str:
    """Return the text as pdfium stores it, control characters included."""
    count = count_characters(page)
    buffer = np.zeros(count + 1, np.uint16)
    written = int(_get_text(page, 0, count, buffer.ctypes.data))
    return buffer[: max(written - 1, 0)].tobytes().decode("utf-16-le", "replace")


def read_bounded_codes(page: OpenPage) -> Codes:
    """Return the UTF-16 codes of the text inside the page bounds."""
    left, bottom, right, top = page.bounds
    count = max(_bounded_text(page.text_page, left, top, right, bottom, None, 0), 0)
    buffer = np.zeros(count, np.uint16)
    written = _bounded_text(page.text_page, left, top, right, bottom, buffer.ctypes.data, count)
    return buffer[: max(written, 0)]


def read_code_points(page: int, count: int) -> list[int]:
    """Return the code point of every character; needs one call per character."""
    return list(map(_unicode, repeat(page), range(count)))


def read_loose_boxes(page: int, indexes: Sequence[int]) -> Floats:
    """Return the boxes of these characters as columns: left, top, right, bottom in PDF coordinates."""
    boxes = np.empty((4, len(indexes)), np.float32)
    handle = to_argument(page)
    for first in range(0, len(indexes), _BATCH):
        batch = indexes[first : first + _BATCH]
        _boxes[: len(batch)] = 0.0
        deque(map(_loose_box, repeat(handle), batch, _box_pointers), 0)
        boxes[:, first : first + len(batch)] = _boxes[: len(batch)].T
    return boxes


def to_argument(page: int) -> Any:
    """Return an address as a call argument, converted once instead of at every call."""
    return ctypes.c_void_p.from_param(page)


def read_glyph_boxes(page: int, count: int) -> npt.NDArray[np.float64]:
    """Return the glyph boxes of all characters as rows: left, right, bottom, top in PDF coordinates."""
    buffer = np.zeros((count, 4), np.float64)
    first = buffer.ctypes.data
    addresses = [range(first + offset, first + offset + 32 * count, 32) for offset in (0, 8, 16, 24)]
    deque(map(_char_box, repeat(page), range(count), *addresses), 0)
    return buffer


def is_bold(handle: Any, index: int) -> bool:
    """Return whether the font name of a character indicates bold; pdfium's weight is only an estimate."""
    length = _font(handle, index, _name_pointer, _NAME_LENGTH, None)
    return 0 < length <= _NAME_BYTES and _is_bold_name(_name.value)


@cache
def _is_bold_name(name: bytes) -> bool:
    return _BOLD_NAME.search(name) is not None
