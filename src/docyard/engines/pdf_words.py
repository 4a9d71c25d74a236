"""The text of a PDF page and where each of its words stands.

pdfium has no words, and a call per letter through ctypes costs more than reading the page. Two calls a word,
for the boxes of its first and last letter, straight into one buffer, were measured at twice that speed.
"""

from __future__ import annotations

import ctypes
import re
from array import array
from collections.abc import Iterator, Sequence
from typing import Any

import pypdfium2.raw as pdfium

from docyard.model.pages import Word, pack_words

_WORD = re.compile(r"\S+")
_BLANK_LINES = re.compile(r"\n\s*\n")
# pdfium writes a hyphen at a line's end as 2 in one call and as U+FFFE in the other.
_PLAIN = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), " ") | {2: "-", 0xFFFE: "-"}
_CONTROL = re.compile("[" + re.escape("".join(map(chr, _PLAIN))) + "]")
_BOX_BYTES = 16

# Plain integers as pointers, and keeping the interpreter's lock, make this cheaper than the library's own.
_loose_box = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(
    ctypes.cast(pdfium.FPDFText_GetLooseCharBox, ctypes.c_void_p).value or 0
)

Span = tuple[int, int]
Sides = tuple[float, float, float, float]
Boxes = tuple[Sequence[float], Sequence[float], Sequence[float], Sequence[float]]


def read_text(page: Any, text_page: Any) -> tuple[str, bytes]:
    """The text of the page as it is shown, and its packed words."""
    text, letters = _whole_text(text_page) or _visible_text(page, text_page)
    spans = _spans(text)
    if not spans:
        return text, b""
    lefts, tops, rights, bottoms = _on_page(page, _boxes(text_page, letters))
    starts, ends = zip(*spans, strict=True)
    return text, pack_words(map(Word, starts, ends, lefts, tops, rights, bottoms))


def _whole_text(text_page: Any) -> tuple[str, list[Span]] | None:
    """All text of the page, with its words as spans of pdfium's letters, unless some of it is not shown.

    pdfium can also leave out by itself what lies outside the page, but then it joins words at the end of
    table cells and of lines on turned pages; so that text only serves to see whether anything is left out.
    """
    whole = _plain(text_page.get_text_range())
    if len(whole) != text_page.count_chars():
        return None
    if "".join(whole.split()) != "".join(_plain(text_page.get_text_bounded()).split()):
        return None
    return _with_newlines(whole), _spans(whole)


def _visible_text(page: Any, text_page: Any) -> tuple[str, list[Span]]:
    """The same letter by letter, without those outside the page."""
    bounds = page.get_bbox()
    kept = [
        (index, letter)
        for index, letter in _letters(text_page)
        if letter.isspace() or _overlap(bounds, text_page.get_charbox(index))
    ]
    text = _BLANK_LINES.sub("\n\n", _with_newlines("".join(letter for _, letter in kept))).strip("\n")
    return text, _gathered(_spans(text), [index for index, letter in kept if not letter.isspace()])


def _plain(text: str) -> str:
    """The text with each control character, as a broken font makes them, replaced by one plain one."""
    return text.translate(_PLAIN) if _CONTROL.search(text) else text


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _spans(text: str) -> list[Span]:
    return [match.span() for match in _WORD.finditer(text)]


def _letters(text_page: Any) -> Iterator[tuple[int, str]]:
    """Every letter with its index; pdfium may count one letter as two halves, or give half a one."""
    high = 0
    for index in range(text_page.count_chars()):
        code = pdfium.FPDFText_GetUnicode(text_page, index)
        if 0xDC00 <= code < 0xE000 and high:
            yield index - 1, chr(0x10000 + ((high - 0xD800) << 10) + code - 0xDC00)
        elif not 0xD800 <= code < 0xE000:
            yield index, _plain(chr(code))
        high = code if 0xD800 <= code < 0xDC00 else 0


def _overlap(one: Sides, other: Sides) -> bool:
    return max(one[0], other[0]) < min(one[2], other[2]) and max(one[1], other[1]) < min(one[3], other[3])


def _gathered(spans: list[Span], letters: list[int]) -> list[Span]:
    """The letters, one by one, put together into words of the same lengths."""
    found: list[Span] = []
    at = 0
    for start, end in spans:
        found.append((letters[at], letters[at + end - start - 1] + 1))
        at += end - start
    return found


def _boxes(text_page: Any, letters: list[Span]) -> Boxes:
    """The boxes around each word in the PDF's own coordinates: left, bottom, right, top."""
    ends = [index for start, end in letters for index in (start, end - 1)]
    room = (ctypes.c_float * (4 * len(ends)))()
    first = ctypes.addressof(room)
    handle = ctypes.cast(text_page.raw, ctypes.c_void_p).value
    for index, at in zip(ends, range(first, first + _BOX_BYTES * len(ends), _BOX_BYTES), strict=True):
        _loose_box(handle, index, at)
    sides = array("f", bytes(room))
    left, top, right, bottom = ((sides[at::8], sides[at + 4 :: 8]) for at in range(4))
    return (
        list(map(min, *left)),
        list(map(min, *bottom)),
        list(map(max, *right)),
        list(map(max, *top)),
    )


def _on_page(page: Any, boxes: Boxes) -> Boxes:
    """The boxes as left, top, right, bottom from the upper left corner of the page as it is shown."""
    x0, y0, x1, y1 = page.get_bbox()
    lefts, bottoms, rights, tops = boxes
    west, east = [x - x0 for x in lefts], [x - x0 for x in rights]
    north, south = [y1 - y for y in tops], [y1 - y for y in bottoms]
    width, height = x1 - x0, y1 - y0
    match page.get_rotation():
        case 90:
            return [height - y for y in south], west, [height - y for y in north], east
        case 180:
            return (
                [width - x for x in east],
                [height - y for y in south],
                [width - x for x in west],
                [height - y for y in north],
            )
        case 270:
            return north, [width - x for x in east], south, [width - x for x in west]
        case _:
            return west, north, east, south
