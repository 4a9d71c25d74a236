"""Whether the text of a PDF page is what a reader sees on it, or the page must be read as a picture.

Most pages are fine, and reading them is cheap; so what costs calls into pdfium is asked only of those whose
text looks odd or is short.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium

from docyard.readers.pdf.pdfium_calls import Bounds, OpenPage, drawn_objects, raw_text

_FEW_LETTERS = 300  # a stamp, a page number, a header: less than any page of text
_COVERED = 0.5  # of the page: what is scanned is one picture, or strips of one
_A_PICTURE = 0.03  # of the page: on a page without any text even a small one may hold some
_OUTLINES = 150  # shapes: letters drawn as outlines are many
_MOST_OBJECTS = 5000  # a drawing may have a million
_DEEPEST = 2  # forms inside forms
_LETTERS_PER_WORD = 3  # fewer on average, and characters may have been lost between them
# UTF-8 that was taken for Latin letters.
_MOJIBAKE = re.compile("Ã[\x80-\xbf]|â€|Â[\xa0-\xbf]")
_LATIN = re.compile(r"[A-Za-z]")
_VOWEL = re.compile(r"[AEIOUYaeiouy]")
_WORD = re.compile(r"[^\W\d_]{2,}|\d[\d.,:/-]*")
_BAD_SHARE = 0.05
_LEAST_VOWELS = 0.16
_ENOUGH_TO_JUDGE = 80
_BAD, _CONSONANT, _VOWELED, _BLANK = range(1, 5)


def is_scan(page: OpenPage, text: str, word_count: int) -> bool:
    """Whether this page should be read by OCR: its text is missing, a mere stamp, or broken."""
    letters = len(text) - text.count(" ") - text.count("\n")
    # Control characters were made spaces: words that are too short, or much empty space, may hide some.
    suspicious = letters < max(_LETTERS_PER_WORD * word_count, len(text) / 2)
    if is_broken(raw_text(page.letters) if suspicious else text):
        return True
    return letters < _FEW_LETTERS and _is_pictured(page, has_text=letters > 0)


def is_broken(text: str) -> bool:
    """Whether the text is not what was meant: its font does not say which letters its shapes are."""
    # Counting classes of codes is ten times as fast as searching for each.
    codes = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)
    counts: list[int] = np.bincount(_CLASSES.take(codes), minlength=_BLANK + 1).tolist()
    solid = len(codes) - counts[_BLANK]
    if solid < _ENOUGH_TO_JUDGE:
        return False
    bad = counts[_BAD] + 2 * (len(_MOJIBAKE.findall(text)) if any(map(text.__contains__, "ÃâÂ")) else 0)
    latin = counts[_VOWELED] + counts[_CONSONANT]
    odd = latin > solid / 2 and counts[_VOWELED] < _LEAST_VOWELS * latin
    return bad > _BAD_SHARE * solid or odd


def _classes() -> npt.NDArray[np.uint8]:
    """What each code is, as far as the judgement goes."""
    found = np.zeros(1 << 16, np.uint8)
    # Letters of private planes are two codes each; their first is enough.
    for first, last in ((0xE000, 0xF8FF), (0xFFFD, 0xFFFD), (0xFFFF, 0xFFFF), (0xDB80, 0xDBFF)):
        found[first : last + 1] = _BAD
    # Control characters, except that pdfium writes a hyphen at a line's end as 2, which is no fault.
    found[[0, 1, *range(3, 9), 11, 12, *range(14, 32), *range(127, 160)]] = _BAD
    found[[ord(letter) for letter in string.ascii_letters]] = _CONSONANT
    found[[ord(letter) for letter in "AEIOUYaeiouy"]] = _VOWELED
    found[[ord(letter) for letter in " \n\r"]] = _BLANK
    return found


_CLASSES = _classes()


def worth(text: str) -> int:
    """How many characters of a text stand in words that could be words, or in figures."""
    return sum(map(len, filter(_is_plausible, _WORD.findall(text))))


def _is_plausible(word: str) -> bool:
    return len(word) < 4 or not _LATIN.match(word) or _VOWEL.search(word) is not None


def _is_pictured(page: OpenPage, *, has_text: bool) -> bool:
    """Whether pictures may hold the text of the page."""
    objects = list(islice(drawn_objects(page, _DEEPEST), _MOST_OBJECTS))
    covered = _covered(page.bounds, objects)
    shapes = [kind for kind, _ in objects].count(pdfium.FPDF_PAGEOBJ_PATH)
    if has_text or covered >= _A_PICTURE:
        return covered >= (_COVERED if has_text else _A_PICTURE)
    return shapes >= _OUTLINES


def _covered(page: Bounds, objects: Sequence[tuple[int, Bounds]]) -> float:
    """The share of the page that pictures take; strips of one scan are counted together."""
    pictures = [bounds for kind, bounds in objects if kind == pdfium.FPDF_PAGEOBJ_IMAGE]
    whole = (page[2] - page[0]) * (page[3] - page[1])
    return sum(_common(page, picture) for picture in pictures) / max(whole, 1.0)


def _common(one: Bounds, other: Bounds) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, width) * max(0.0, height)
