"""pdfium's questions about letters, asked for many at once.

A call through the library's own wrappers costs several times what pdfium needs to answer. Plain integers as
pointers, keeping the interpreter's lock, and one buffer for all answers were measured at a third of that.
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
_to_name = ctypes.byref(_name)
_NAME_LENGTH = ctypes.c_ulong(_NAME_BYTES)
_rectangle = (ctypes.c_float * 4)()
_to_rectangle = ctypes.addressof(_rectangle)
_to_sides = range(_to_rectangle, _to_rectangle + 16, 4)
_BOLD_NAME = re.compile(rb"bold|black|heavy|demi|[-,]medi|(cm|sf)(ss)?bx", re.IGNORECASE)


def _fast(name: str, result: Any, *arguments: Any) -> Any:
    address = ctypes.cast(getattr(pdfium, name), ctypes.c_void_p).value
    return ctypes.PYFUNCTYPE(result, *arguments)(address or 0)


_load_page = _fast("FPDF_LoadPage", _ADDRESS, _ADDRESS, _INT)
_close_page = _fast("FPDF_ClosePage", None, _ADDRESS)
_load_text = _fast("FPDFText_LoadPage", _ADDRESS, _ADDRESS)
_close_text = _fast("FPDFText_ClosePage", None, _ADDRESS)
_bounds = _fast("FPDF_GetPageBoundingBox", _INT, _ADDRESS, _ADDRESS)
_width = _fast("FPDF_GetPageWidthF", ctypes.c_float, _ADDRESS)
_height = _fast("FPDF_GetPageHeightF", ctypes.c_float, _ADDRESS)
_rotation = _fast("FPDFPage_GetRotation", _INT, _ADDRESS)
_bounded = _fast("FPDFText_GetBoundedText", _INT, _ADDRESS, *(ctypes.c_double,) * 4, _ADDRESS, _INT)
_count_chars = _fast("FPDFText_CountChars", _INT, _ADDRESS)
_get_text = _fast("FPDFText_GetText", _INT, _ADDRESS, _INT, _INT, _ADDRESS)
# Given prepared pointers and told no types, a call takes half the time: nothing has to be converted.
_loose_box = _fast("FPDFText_GetLooseCharBox", None)
_BATCH = 4096
_room = (ctypes.c_float * (4 * _BATCH))()
_boxes = np.frombuffer(memoryview(_room), np.float32).reshape(-1, 4)
_places = [ctypes.byref(_room, 16 * place) for place in range(_BATCH)]
_char_box = _fast("FPDFText_GetCharBox", _INT, _ADDRESS, _INT, *(_ADDRESS,) * 4)
_unicode = _fast("FPDFText_GetUnicode", ctypes.c_uint, _ADDRESS, _INT)
_font = _fast("FPDFText_GetFontInfo", ctypes.c_ulong)
_count_objects = _fast("FPDFPage_CountObjects", _INT, _ADDRESS)
_object = _fast("FPDFPage_GetObject", _ADDRESS, _ADDRESS, _INT)
_count_inner = _fast("FPDFFormObj_CountObjects", _INT, _ADDRESS)
_inner = _fast("FPDFFormObj_GetObject", _ADDRESS, _ADDRESS, ctypes.c_ulong)
_object_type = _fast("FPDFPageObj_GetType", _INT, _ADDRESS)
_object_bounds = _fast("FPDFPageObj_GetBounds", _INT, _ADDRESS, *(_ADDRESS,) * 4)


@dataclass(frozen=True, slots=True)
class OpenPage:
    """A page that is loaded: whom to ask about it and its letters, what it shows of the plane, how turned."""

    page: int
    letters: int
    bounds: Bounds
    size: tuple[float, float]
    rotation: int


def open_page(document: Any, index: int) -> OpenPage | None:
    """A page of the document; None when it cannot be read."""
    page = _load_page(ctypes.cast(document.raw, _ADDRESS), index)
    if not page:
        return None
    text = _load_text(page)
    if text and _bounds(page, _to_rectangle):
        left, top, right, bottom = _rectangle
        size = (_width(page), _height(page))
        return OpenPage(page, text, (left, bottom, right, top), size, _rotation(page) * 90)
    _close(page, text)
    return None


def close_pages(pages: Iterable[OpenPage | None]) -> None:
    """Let go of pages."""
    for page in pages:
        if page is not None:
            _close(page.page, page.letters)


def _close(page: int, text: int | None) -> None:
    if text:
        _close_text(text)
    _close_page(page)


def count_objects(page: OpenPage) -> int:
    """How many things are drawn on the page."""
    return max(int(_count_objects(page.page)), 0)


def drawn_objects(page: OpenPage, deepest: int) -> Iterator[tuple[int, Bounds]]:
    """What is drawn on the page, and in forms on it: its type, and left, bottom, right, top."""
    return _drawn(page.page, _count_objects, _object, deepest)


def _drawn(parent: int, count: Any, get: Any, deeper: int) -> Iterator[tuple[int, Bounds]]:
    for index in range(count(parent)):
        one = get(parent, index)
        kind = _object_type(one) if one else pdfium.FPDF_PAGEOBJ_UNKNOWN
        if kind == pdfium.FPDF_PAGEOBJ_FORM and deeper:
            yield from _drawn(one, _count_inner, _inner, deeper - 1)
        elif one and _object_bounds(one, *_to_sides):
            left, bottom, right, top = _rectangle
            yield kind, (left, bottom, right, top)


def count_letters(page: int) -> int:
    """How many letters the page has, those pdfium puts in between included."""
    return max(int(_count_chars(page)), 0)


def letter_codes(page: int, count: int) -> Codes | None:
    """The text as one code for each letter; None when pdfium has more or fewer codes than letters."""
    room = np.empty(count + 1, np.uint16)
    written = _get_text(page, 0, count, room.ctypes.data)
    return room[:-1] if written == count + 1 else None


def raw_text(page: int) -> str:
    """The text as pdfium has it, control characters included."""
    count = count_letters(page)
    room = np.zeros(count + 1, np.uint16)
    written = int(_get_text(page, 0, count, room.ctypes.data))
    return room[: max(written - 1, 0)].tobytes().decode("utf-16-le", "replace")


def bounded_codes(page: OpenPage) -> Codes:
    """The codes of the text that pdfium sees on the page."""
    left, bottom, right, top = page.bounds
    count = max(_bounded(page.letters, left, top, right, bottom, None, 0), 0)
    room = np.zeros(count, np.uint16)
    written = _bounded(page.letters, left, top, right, bottom, room.ctypes.data, count)
    return room[: max(written, 0)]


def unicodes(page: int, count: int) -> list[int]:
    """The code of every letter, asked one by one."""
    return list(map(_unicode, repeat(page), range(count)))


def loose_boxes(page: int, letters: Sequence[int]) -> Floats:
    """A column for each of these letters: left, top, right, bottom, in the PDF's own coordinates."""
    found = np.empty((4, len(letters)), np.float32)
    handle = as_argument(page)
    for first in range(0, len(letters), _BATCH):
        batch = letters[first : first + _BATCH]
        _boxes[: len(batch)] = 0.0
        deque(map(_loose_box, repeat(handle), batch, _places), 0)
        found[:, first : first + len(batch)] = _boxes[: len(batch)].T
    return found


def as_argument(page: int) -> Any:
    """An address as calls take it, made once instead of at every call."""
    return ctypes.c_void_p.from_param(page)


def ink_boxes(page: int, count: int) -> npt.NDArray[np.float64]:
    """A row for every letter: left, right, bottom, top of what is drawn."""
    room = np.zeros((count, 4), np.float64)
    first = room.ctypes.data
    places = [range(first + at, first + at + 32 * count, 32) for at in (0, 8, 16, 24)]
    deque(map(_char_box, repeat(page), range(count), *places), 0)
    return room


def is_bold(handle: Any, letter: int) -> bool:
    """Whether a letter is of a bold font, by its name; pdfium only guesses its weight."""
    length = _font(handle, letter, _to_name, _NAME_LENGTH, None)
    return 0 < length <= _NAME_BYTES and _names_bold(_name.value)


@cache
def _names_bold(name: bytes) -> bool:
    return _BOLD_NAME.search(name) is not None
