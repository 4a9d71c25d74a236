"""Quality of the text layer of PDF pages: whether it is usable or the page needs OCR.

Most pages are fine and cheap to check. Expensive calls into pdfium are made only for pages whose text is
suspicious or short.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium

from docyard.readers.pdf.pdfium_calls import Bounds, OpenPage, iter_objects, read_raw_text

_MIN_TEXT_CHARS = 300  # of a page of text; a stamp, a page number or a header has fewer
_SCAN_SHARE = 0.5  # of the page area; a scan covers at least this, as one image or in strips
_IMAGE_SHARE = 0.03  # of the page; without a text layer even a small image may contain text
_MIN_OUTLINES = 150  # shapes; text drawn as outlines has many
_MAX_OBJECTS = 5000  # inspected per page; a drawing may have a million
_MAX_DEPTH = 2  # of forms inside forms
_MIN_WORD_CHARS = 3  # on average; in shorter words, characters may be missing
# UTF-8 decoded as Latin-1 or cp1252.
_MOJIBAKE = re.compile("Ã[\x80-\xbf]|â€|Â[\xa0-\xbf]")
_LATIN = re.compile(r"[A-Za-z]")
_VOWEL = re.compile(r"[AEIOUYaeiouy]")
_WORD = re.compile(r"[^\W\d_]{2,}|\d[\d.,:/-]*")
_MAX_BAD_SHARE = 0.05
_MIN_VOWEL_SHARE = 0.16
_MIN_CHARS_TO_JUDGE = 80
_BAD_CODE, _CONSONANT_CODE, _VOWEL_CODE, _BLANK_CODE = range(1, 5)


def is_scan(page: OpenPage, text: str, word_count: int) -> bool:
    """Return whether the page needs OCR: its text is missing, only a stamp, or garbled."""
    characters = len(text) - text.count(" ") - text.count("\n")
    # Control characters were replaced by spaces, so short words or much white space may be garbled text.
    suspicious = characters < max(_MIN_WORD_CHARS * word_count, len(text) / 2)
    if is_garbled(read_raw_text(page.text_page) if suspicious else text):
        return True
    return characters < _MIN_TEXT_CHARS and _has_image_text(page, has_text=characters > 0)


def is_garbled(text: str) -> bool:
    """Return whether the text is garbled, usually because its font maps glyphs to wrong characters."""
    # Counting classes of codes is ten times as fast as searching for each class.
    codes = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)
    counts: list[int] = np.bincount(_CLASSES.take(codes), minlength=_BLANK_CODE + 1).tolist()
    visible = len(codes) - counts[_BLANK_CODE]
    if visible < _MIN_CHARS_TO_JUDGE:
        return False
    bad = counts[_BAD_CODE] + 2 * (len(_MOJIBAKE.findall(text)) if any(map(text.__contains__, "ÃâÂ")) else 0)
    latin = counts[_VOWEL_CODE] + counts[_CONSONANT_CODE]
    few_vowels = latin > visible / 2 and counts[_VOWEL_CODE] < _MIN_VOWEL_SHARE * latin
    return bad > _MAX_BAD_SHARE * visible or few_vowels


def _build_classes() -> npt.NDArray[np.uint8]:
    """Return the class of each UTF-16 code."""
    classes = np.zeros(1 << 16, np.uint8)
    # Characters of the private use planes are two codes each; counting the first is enough.
    for first, last in ((0xE000, 0xF8FF), (0xFFFD, 0xFFFD), (0xFFFF, 0xFFFF), (0xDB80, 0xDBFF)):
        classes[first : last + 1] = _BAD_CODE
    # Control characters, except 2, which pdfium uses for a hyphen at a line end.
    classes[[0, 1, *range(3, 9), 11, 12, *range(14, 32), *range(127, 160)]] = _BAD_CODE
    classes[[ord(character) for character in string.ascii_letters]] = _CONSONANT_CODE
    classes[[ord(character) for character in "AEIOUYaeiouy"]] = _VOWEL_CODE
    classes[[ord(character) for character in " \n\r"]] = _BLANK_CODE
    return classes


_CLASSES = _build_classes()


def count_plausible_characters(text: str) -> int:
    """Return the number of characters in plausible words and in numbers."""
    return sum(map(len, filter(_is_plausible, _WORD.findall(text))))


def _is_plausible(word: str) -> bool:
    return len(word) < 4 or not _LATIN.match(word) or _VOWEL.search(word) is not None


def _has_image_text(page: OpenPage, *, has_text: bool) -> bool:
    """Return whether images or outlines may contain the text of the page."""
    objects = list(islice(iter_objects(page, _MAX_DEPTH), _MAX_OBJECTS))
    image_share = _image_share(page.bounds, objects)
    shapes = [kind for kind, _ in objects].count(pdfium.FPDF_PAGEOBJ_PATH)
    if has_text or image_share >= _IMAGE_SHARE:
        return image_share >= (_SCAN_SHARE if has_text else _IMAGE_SHARE)
    return shapes >= _MIN_OUTLINES


def _image_share(page: Bounds, objects: Sequence[tuple[int, Bounds]]) -> float:
    """Return the share of the page that images cover; strips of one scan add up."""
    images = [bounds for kind, bounds in objects if kind == pdfium.FPDF_PAGEOBJ_IMAGE]
    page_area = (page[2] - page[0]) * (page[3] - page[1])
    return sum(_overlap_area(page, image) for image in images) / max(page_area, 1.0)


def _overlap_area(one: Bounds, other: Bounds) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, width) * max(0.0, height)
