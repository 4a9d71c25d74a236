"""Conversion of OCR lines to a page: text and packed words."""

from __future__ import annotations

from collections.abc import Iterable

from docyard.model.text.pages import OCR, Page, Word, pack_words
from docyard.ocr.lines import OcrLine, OcrWord
from docyard.readers.text import remove_invalid_characters


def make_page(lines: Iterable[OcrLine], page: Page, size: tuple[int, int]) -> Page:
    """Return the page with the text of these lines; boxes are scaled from an image of this size to points."""
    parts: list[str] = []
    words: list[Word] = []
    confidences: list[int] = []
    length = 0
    for line in lines:
        separator = "" if not parts else "\n\n" if line.gap else "\n"
        for ocr_word in line.words:
            word = "".join(remove_invalid_characters(ocr_word.text).split())
            if not word:
                continue
            start = length + len(separator)
            length = start + len(word)
            parts += [separator, word]
            words.append(_scale_word(ocr_word, start, length, page.width / size[0], page.height / size[1]))
            confidences.append(round(100 * ocr_word.confidence))
            separator = " "
    text = "".join(parts)
    packed = pack_words(words)
    return Page(page.number, text, page.width, page.height, packed, source=OCR, confidences=bytes(confidences))


def _scale_word(word: OcrWord, start: int, end: int, scale_x: float, scale_y: float) -> Word:
    box = (word.left * scale_x, word.top * scale_y, word.right * scale_x, word.bottom * scale_y)
    return Word(start, end, *box)
