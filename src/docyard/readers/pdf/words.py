"""The text of a PDF page and where each of its words stands.

pdfium has no words, and a call per letter costs more than reading the page. Two calls a word, for the boxes
of its first and last letter, are enough; everything else is done for the whole page at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from docyard.readers.pdf import pdfium_calls
from docyard.readers.pdf.pdfium_calls import Codes, Floats, OpenPage

Ints = npt.NDArray[np.int64]

_BLANK_LINES = re.compile(r"\n\s*\n")
# pdfium writes a hyphen at a line's end as 2 in one call and as U+FFFE in the other.
_PLAIN = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), " ") | {2: "-", 0xFFFE: "-"}
_AS_PLAIN = np.arange(1 << 16, dtype=np.uint16)
_AS_PLAIN[list(_PLAIN)] = [ord(letter) for letter in _PLAIN.values()]
_SOLID = np.array([not chr(code).isspace() for code in range(1 << 16)])
_PACKED = np.dtype([("start", "<u4"), ("end", "<u4"), ("box", "<f4", 4)])
_LEFT, _TOP, _RIGHT, _BOTTOM = range(4)


@dataclass(frozen=True, slots=True)
class Words:
    """The text of a page, where its words start and end in it, their boxes in columns, letters and lines."""

    text: str
    starts: Ints
    ends: Ints
    boxes: Floats
    letters: Ints
    lines: Ints  # a number that changes where a line of the text ends

    def packed(self) -> bytes:
        """As `model.pages.pack_words` has them."""
        room = np.empty(len(self.starts), _PACKED)
        room["start"], room["end"], room["box"] = self.starts, self.ends, self.boxes.T
        return room.tobytes()


def read_words(page: OpenPage) -> Words:
    """The text of the page as it is shown, and its words."""
    count = pdfium_calls.count_letters(page.letters)
    text, starts, ends, letters, lines, boxes = _whole_text(page, count) or _visible_text(page, count)
    return Words(text, starts, ends, _on_page(boxes, page), letters, lines)


_Found = tuple[str, Ints, Ints, Ints, Ints, Floats]


def _whole_text(page: OpenPage, count: int) -> _Found | None:
    """All text of the page, unless some of it is not shown or pdfium's letters are not those of the text."""
    raw = pdfium_calls.letter_codes(page.letters, count)
    if raw is None or not count:
        return None
    least, most = int(raw.min()), int(raw.max())
    if most >= 0xD800 and ((raw >= 0xD800) & (raw < 0xE000)).any():
        return None
    codes, letters = _AS_PLAIN.take(raw), np.arange(count)
    if least <= 2 or most >= 0xFFFE:
        codes, letters = _lines_ended(raw, codes, letters)
    starts, ends = _word_spans(codes)
    firsts = letters[starts]
    boxes = _word_boxes(page, firsts, letters[ends - 1])
    if not _all_inside(boxes, page) and _something_hidden(codes, page):
        return None
    text = codes.tobytes().decode("utf-16-le").replace("\r\n", "\n").replace("\r", "\n")
    lines, dropped = _line_ends_before(codes, starts)
    return text, starts - dropped, ends - dropped, firsts, lines, boxes


def _lines_ended(raw: Codes, codes: Codes, letters: Ints) -> tuple[Codes, Ints]:
    """The plain codes and the letter of each, with an end for lines that pdfium joins at a hyphen."""
    hyphens = np.flatnonzero((raw[:-1] == 2) | (raw[:-1] == 0xFFFE)) + 1
    joined = hyphens[_SOLID[codes[hyphens]]]
    return np.insert(codes, joined, 10), np.insert(letters, joined, -1)


def _word_spans(codes: Codes) -> tuple[Ints, Ints]:
    solid = np.zeros(len(codes) + 2, np.bool_)
    solid[1:-1] = _SOLID.take(codes)
    edges = np.flatnonzero(solid[1:] != solid[:-1])
    return edges[::2], edges[1::2]


def _line_ends_before(codes: Codes, places: Ints) -> tuple[Ints, Ints]:
    """How many lines end before these places, and how many carriage returns are left out of their ends."""
    halves, feeds = np.flatnonzero(codes == 13), np.flatnonzero(codes == 10)
    lines = np.searchsorted(feeds, places)
    if len(halves) == len(feeds) and (halves + 1 == feeds).all():  # as pdfium writes them nearly always
        return lines, lines
    whole = halves[codes.take(halves + 1, mode="clip") == 10]
    return lines + np.searchsorted(halves, places), np.searchsorted(whole, places)


def _word_boxes(page: OpenPage, firsts: Ints, lasts: Ints) -> Floats:
    """A column for each word, by its letters, in the PDF's own coordinates; left, top, right, bottom."""
    sides = pdfium_calls.loose_boxes(page.letters, firsts.tolist() + lasts.tolist())
    one, other = sides[:, : len(firsts)], sides[:, len(firsts) :]
    boxes = np.maximum(one, other)
    np.minimum(one[_LEFT], other[_LEFT], out=boxes[_LEFT])
    np.minimum(one[_BOTTOM], other[_BOTTOM], out=boxes[_BOTTOM])
    return boxes


def _all_inside(boxes: Floats, page: OpenPage) -> bool:
    if not boxes.size:
        return True
    x0, y0, x1, y1 = page.bounds
    least, most = boxes.min(axis=1), boxes.max(axis=1)
    return bool(least[_LEFT] >= x0 and most[_RIGHT] <= x1 and least[_BOTTOM] >= y0 and most[_TOP] <= y1)


def _something_hidden(codes: Codes, page: OpenPage) -> bool:
    """Whether pdfium leaves something out when asked for what lies on the page.

    Its answer only serves to see that: it joins words at the end of table cells and lines on turned pages.
    """
    whole = codes[_SOLID[codes]]
    plain = _AS_PLAIN[pdfium_calls.bounded_codes(page)]
    return not np.array_equal(whole, plain[_SOLID[plain]])


def _visible_text(page: OpenPage, count: int) -> _Found:
    """The same letter by letter, without those outside the page."""
    shown = _overlapping(pdfium_calls.ink_boxes(page.letters, count), page)
    kept = [
        (index, letter)
        for index, letter in _letters(pdfium_calls.unicodes(page.letters, count))
        if letter.isspace() or shown[index]
    ]
    text = "".join(letter for _, letter in kept).replace("\r\n", "\n").replace("\r", "\n")
    text = _BLANK_LINES.sub("\n\n", text).strip("\n")
    spans = np.array([match.span() for match in re.finditer(r"\S+", text)], np.int64).reshape(-1, 2)
    solid = np.array([index for index, letter in kept if not letter.isspace()], np.int64)
    before = np.concatenate(([0], np.cumsum(spans[:, 1] - spans[:, 0])))  # letters in the words before each
    firsts, lasts = solid[before[:-1]], solid[before[1:] - 1]
    lines = np.searchsorted([match.start() for match in re.finditer("\n", text)], spans[:, 0])
    return text, spans[:, 0], spans[:, 1], firsts, lines, _word_boxes(page, firsts, lasts)


def _overlapping(ink: npt.NDArray[np.float64], page: OpenPage) -> list[bool]:
    x0, y0, x1, y1 = page.bounds
    left, right, bottom, top = ink.T
    across = np.maximum(left, x0) < np.minimum(right, x1)
    down = np.maximum(bottom, y0) < np.minimum(top, y1)
    shown: list[bool] = (across & down).tolist()
    return shown


def _letters(codes: list[int]) -> list[tuple[int, str]]:
    """Every letter with its index; pdfium may count one letter as two halves, or give half a one."""
    found = []
    high = 0
    for index, code in enumerate(codes):
        if 0xDC00 <= code < 0xE000 and high:
            found.append((index - 1, chr(0x10000 + ((high - 0xD800) << 10) + code - 0xDC00)))
        elif not 0xD800 <= code < 0xE000 and code <= 0x10FFFF:
            found.append((index, _PLAIN.get(code) or chr(code)))
        high = code if 0xD800 <= code < 0xDC00 else 0
    return found


def _on_page(boxes: Floats, page: OpenPage) -> Floats:
    """The boxes as left, top, right, bottom from the upper left corner of the page as it is shown."""
    x0, y0, x1, y1 = page.bounds
    if page.rotation == 0:
        boxes[_LEFT::2] -= np.float32(x0)
        np.subtract(np.float32(y1), boxes[_TOP::2], out=boxes[_TOP::2])
        return boxes
    west, east = boxes[_LEFT] - np.float32(x0), boxes[_RIGHT] - np.float32(x0)
    north, south = np.float32(y1) - boxes[_TOP], np.float32(y1) - boxes[_BOTTOM]
    width, height = np.float32(x1 - x0), np.float32(y1 - y0)
    match page.rotation:
        case 90:
            return np.stack((height - south, west, height - north, east))
        case 180:
            return np.stack((width - east, height - south, width - west, height - north))
        case _:
            return np.stack((north, width - east, south, width - west))
