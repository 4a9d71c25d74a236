"""Lines that an engine saw as the text of a page, with its packed words."""

from __future__ import annotations

from collections.abc import Iterable

from docyard.model.text.pages import OCR, Page, Word, pack_words
from docyard.ocr.lines import SeenLine, SeenWord
from docyard.readers.text import clean


def page_of(lines: Iterable[SeenLine], page: Page, size: tuple[int, int]) -> Page:
    """The page with what was seen on its picture of this size, in the page's own points."""
    text: list[str] = []
    words: list[Word] = []
    sure: list[int] = []
    length = 0
    for line in lines:
        before = "" if not text else "\n\n" if line.gap else "\n"
        for seen in line.words:
            shown = "".join(clean(seen.text).split())
            if not shown:
                continue
            start = length + len(before)
            length = start + len(shown)
            text += [before, shown]
            words.append(_placed(seen, start, length, page.width / size[0], page.height / size[1]))
            sure.append(round(100 * seen.confidence))
            before = " "
    read = "".join(text)
    packed = pack_words(words)
    return Page(page.number, read, page.width, page.height, packed, source=OCR, confidences=bytes(sure))


def _placed(seen: SeenWord, start: int, end: int, across: float, down: float) -> Word:
    return Word(start, end, seen.left * across, seen.top * down, seen.right * across, seen.bottom * down)
