"""What stands beside each other on a page, from left to right, wherever its text has it.

A file often writes all labels first and then all figures; only their places tell what belongs together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median

from docyard.model.facts import Span
from docyard.model.pages import Page, Word, unpack_words

_GAP = 1.0  # heights of a line between two words that make them cells of their own
_MOST_WORDS = 20_000
_LINE = re.compile(r"[^\n]+")
_CELL = re.compile(r"[^\s|](?:[^|\t\n]*?[^\s|])?(?=\s*[|\t\n]|\s{3,}|\s*$)")
_LETTER_WIDTH = 5.0  # where a line has no boxes, its letters are taken to be so wide


@dataclass(frozen=True, slots=True)
class Cell:
    """Words without a wide gap between them; `offsets` says for each letter where it is on the page."""

    text: str
    offsets: tuple[int, ...]
    left: float
    right: float

    def span(self, page: int, start: int, end: int) -> Span:
        """The place of `text[start:end]` on the page."""
        return Span(page, self.offsets[start], self.offsets[end - 1] + 1)


@dataclass(frozen=True, slots=True)
class Row:
    """Cells beside each other, from left to right."""

    page: int
    top: float
    bottom: float
    cells: tuple[Cell, ...]

    @property
    def text(self) -> str:
        """All of it, wide gaps as two spaces."""
        return "  ".join(cell.text for cell in self.cells)


def rows_of(pages: Iterable[Page]) -> list[Row]:
    """The rows of all pages, from the top down."""
    return [row for page in pages for row in (_boxed(page) if page.words else _plain(page))]


def _boxed(page: Page) -> Iterator[Row]:
    words = [word for word in unpack_words(page.words)][:_MOST_WORDS]
    for line in _lines(words):
        cells = tuple(_cell(page.text, run) for run in _runs(line))
        shown = tuple(cell for cell in cells if cell.text.strip())
        if shown:
            yield Row(page.number, min(w.top for w in line), max(w.bottom for w in line), shown)


def _lines(words: list[Word]) -> list[list[Word]]:
    """Words whose middles lie within each other's height, each line from left to right."""
    lines: list[list[Word]] = []
    for word in sorted(words, key=lambda w: (w.top + w.bottom) / 2):
        middle = (word.top + word.bottom) / 2
        if lines and _beside(lines[-1], middle, word.bottom - word.top):
            lines[-1].append(word)
        else:
            lines.append([word])
    return [sorted(line, key=lambda w: (w.left, w.start)) for line in lines]


def _beside(line: list[Word], middle: float, height: float) -> bool:
    """Against the last few of the line only: a photographed line may climb from one end to the other."""
    near = line[-3:]
    centre = sum((w.top + w.bottom) / 2 for w in near) / len(near)
    smaller = min(height, median(w.bottom - w.top for w in near))
    return middle - centre < 0.5 * smaller


def _runs(line: list[Word]) -> Iterator[list[Word]]:
    height = median(word.bottom - word.top for word in line)
    run = [line[0]]
    for word in line[1:]:
        if word.left - run[-1].right > _GAP * height:
            yield run
            run = []
        run.append(word)
    yield run


def _cell(text: str, words: list[Word]) -> Cell:
    letters: list[str] = []
    offsets: list[int] = []
    for word in words:
        if letters:
            letters.append(" ")
            offsets.append(offsets[-1] + 1)
        letters.append(text[word.start : word.end])
        offsets.extend(range(word.start, word.end))
    return Cell("".join(letters), tuple(offsets), words[0].left, words[-1].right)


def _plain(page: Page) -> Iterator[Row]:
    """Lines of text as rows; cells are parted by the bars of a table, tabs or several spaces."""
    for number, line in enumerate(_LINE.finditer(page.text)):
        cells = tuple(
            Cell(
                found[0],
                tuple(range(line.start() + found.start(), line.start() + found.end())),
                found.start() * _LETTER_WIDTH,
                found.end() * _LETTER_WIDTH,
            )
            for found in _CELL.finditer(line[0])
        )
        if cells:
            yield Row(page.number, number * 10.0, number * 10.0 + 9.0, cells)
