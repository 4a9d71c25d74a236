"""The text of a PDF page and the box of each word.

pdfium does not report words, and one call per character would take longer than reading the page. Two calls
per word, for the boxes of its first and last character, are enough; numpy computes the rest.
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
# pdfium reports a hyphen at a line end as 2 in one function and as U+FFFE in another.
_REPLACEMENTS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), " ") | {2: "-", 0xFFFE: "-"}
_PLAIN_CODES = np.arange(1 << 16, dtype=np.uint16)
_PLAIN_CODES[list(_REPLACEMENTS)] = [ord(character) for character in _REPLACEMENTS.values()]
_NON_SPACE = np.array([not chr(code).isspace() for code in range(1 << 16)])
_PACKED_WORD = np.dtype([("start", "<u4"), ("end", "<u4"), ("box", "<f4", 4)])
_LEFT, _TOP, _RIGHT, _BOTTOM = range(4)


@dataclass(frozen=True, slots=True)
class Words:
    """The text of a page and its words as arrays: spans, boxes, indexes of first characters, and lines."""

    text: str
    starts: Ints
    ends: Ints
    boxes: Floats
    first_chars: Ints
    lines: Ints  # line numbers, which increase at each line end

    def pack(self) -> bytes:
        """Return the words in the format of `model.text.pages.pack_words`."""
        records = np.empty(len(self.starts), _PACKED_WORD)
        records["start"], records["end"], records["box"] = self.starts, self.ends, self.boxes.T
        return records.tobytes()


def read_words(page: OpenPage) -> Words:
    """Return the text inside the page bounds, and its words with boxes as the page is displayed."""
    count = pdfium_calls.count_characters(page.text_page)
    text, starts, ends, first_chars, lines, boxes = _whole_text(page, count) or _visible_text(page, count)
    return Words(text, starts, ends, _to_page_coordinates(boxes, page), first_chars, lines)


_PageWords = tuple[str, Ints, Ints, Ints, Ints, Floats]


def _whole_text(page: OpenPage, count: int) -> _PageWords | None:
    """Return the whole text of the page and its words; None if this fast path does not apply.

    It does not apply to an empty page, text outside the page, or characters of more than one UTF-16 code.
    """
    raw = pdfium_calls.read_char_codes(page.text_page, count)
    if raw is None or not count:
        return None
    least, limit = int(raw.min()), int(raw.max())
    if limit >= 0xD800 and ((raw >= 0xD800) & (raw < 0xE000)).any():
        return None
    codes, indexes = _PLAIN_CODES.take(raw), np.arange(count)
    if least <= 2 or limit >= 0xFFFE:
        codes, indexes = _restore_line_ends(raw, codes, indexes)
    starts, ends = _find_word_spans(codes)
    firsts = indexes[starts]
    boxes = _word_boxes(page, firsts, indexes[ends - 1])
    if not _are_all_inside(boxes, page) and _has_hidden_text(codes, page):
        return None
    text = codes.tobytes().decode("utf-16-le").replace("\r\n", "\n").replace("\r", "\n")
    lines, dropped = _count_line_ends(codes, starts)
    return text, starts - dropped, ends - dropped, firsts, lines, boxes


def _restore_line_ends(raw: Codes, codes: Codes, indexes: Ints) -> tuple[Codes, Ints]:
    """Insert the line ends that pdfium omits after hyphens; return the codes and their character indexes."""
    hyphens = np.flatnonzero((raw[:-1] == 2) | (raw[:-1] == 0xFFFE)) + 1
    omitted = hyphens[_NON_SPACE[codes[hyphens]]]
    return np.insert(codes, omitted, 10), np.insert(indexes, omitted, -1)


def _find_word_spans(codes: Codes) -> tuple[Ints, Ints]:
    non_space = np.zeros(len(codes) + 2, np.bool_)
    non_space[1:-1] = _NON_SPACE.take(codes)
    edges = np.flatnonzero(non_space[1:] != non_space[:-1])
    return edges[::2], edges[1::2]


def _count_line_ends(codes: Codes, offsets: Ints) -> tuple[Ints, Ints]:
    """Return how many line ends, and how many carriage returns to remove, precede each offset."""
    returns, feeds = np.flatnonzero(codes == 13), np.flatnonzero(codes == 10)
    lines = np.searchsorted(feeds, offsets)
    if len(returns) == len(feeds) and (returns + 1 == feeds).all():  # pdfium's usual line end
        return lines, lines
    crlf_returns = returns[codes.take(returns + 1, mode="clip") == 10]
    return lines + np.searchsorted(returns, offsets), np.searchsorted(crlf_returns, offsets)


def _word_boxes(page: OpenPage, firsts: Ints, lasts: Ints) -> Floats:
    """Return a column for each word: left, top, right, bottom in PDF coordinates."""
    sides = pdfium_calls.read_loose_boxes(page.text_page, firsts.tolist() + lasts.tolist())
    first, last = sides[:, : len(firsts)], sides[:, len(firsts) :]
    boxes = np.maximum(first, last)
    np.minimum(first[_LEFT], last[_LEFT], out=boxes[_LEFT])
    np.minimum(first[_BOTTOM], last[_BOTTOM], out=boxes[_BOTTOM])
    return boxes


def _are_all_inside(boxes: Floats, page: OpenPage) -> bool:
    if not boxes.size:
        return True
    x0, y0, x1, y1 = page.bounds
    least, limit = boxes.min(axis=1), boxes.max(axis=1)
    return bool(least[_LEFT] >= x0 and limit[_RIGHT] <= x1 and least[_BOTTOM] >= y0 and limit[_TOP] <= y1)


def _has_hidden_text(codes: Codes, page: OpenPage) -> bool:
    """Return whether the text inside the page bounds differs from the whole text.

    pdfium's bounded text is used only for this comparison, because it lacks spaces at the end of table cells
    and line ends on rotated pages.
    """
    whole = codes[_NON_SPACE[codes]]
    bounded = _PLAIN_CODES[pdfium_calls.read_bounded_codes(page)]
    return not np.array_equal(whole, bounded[_NON_SPACE[bounded]])


def _visible_text(page: OpenPage, count: int) -> _PageWords:
    """Return the text without characters outside the page, and its words; needs two calls per character."""
    visible = _find_visible(pdfium_calls.read_glyph_boxes(page.text_page, count), page)
    kept = [
        (index, character)
        for index, character in _decode_characters(pdfium_calls.read_code_points(page.text_page, count))
        if character.isspace() or visible[index]
    ]
    text = "".join(character for _, character in kept).replace("\r\n", "\n").replace("\r", "\n")
    text = _BLANK_LINES.sub("\n\n", text).strip("\n")
    spans = np.array([match.span() for match in re.finditer(r"\S+", text)], np.int64).reshape(-1, 2)
    non_space = np.array([index for index, character in kept if not character.isspace()], np.int64)
    # Number of characters in the words before each word.
    before = np.concatenate(([0], np.cumsum(spans[:, 1] - spans[:, 0])))
    firsts, lasts = non_space[before[:-1]], non_space[before[1:] - 1]
    lines = np.searchsorted([match.start() for match in re.finditer("\n", text)], spans[:, 0])
    return text, spans[:, 0], spans[:, 1], firsts, lines, _word_boxes(page, firsts, lasts)


def _find_visible(ink: npt.NDArray[np.float64], page: OpenPage) -> list[bool]:
    x0, y0, x1, y1 = page.bounds
    left, right, bottom, top = ink.T
    across = np.maximum(left, x0) < np.minimum(right, x1)
    down = np.maximum(bottom, y0) < np.minimum(top, y1)
    visible: list[bool] = (across & down).tolist()
    return visible


def _decode_characters(codes: list[int]) -> list[tuple[int, str]]:
    """Return each character with its index; surrogate pairs are combined, unpaired surrogates dropped."""
    characters = []
    high_surrogate = 0
    for index, code in enumerate(codes):
        if 0xDC00 <= code < 0xE000 and high_surrogate:
            characters.append((index - 1, chr(0x10000 + ((high_surrogate - 0xD800) << 10) + code - 0xDC00)))
        elif not 0xD800 <= code < 0xE000 and code <= 0x10FFFF:
            characters.append((index, _REPLACEMENTS.get(code) or chr(code)))
        high_surrogate = code if 0xD800 <= code < 0xDC00 else 0
    return characters


def _to_page_coordinates(boxes: Floats, page: OpenPage) -> Floats:
    """Convert boxes to left, top, right, bottom from the upper left corner of the page as displayed."""
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
