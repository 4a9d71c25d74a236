"""What stands beside each other on a page, from left to right, wherever its text has it.

A file often writes all labels first and then all figures; only their places tell what belongs together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median

from docyard.model.facts import Span
from docyard.model.text.pages import Page, Word, unpack_words

_GAP = 1.0  # heights of a line between two words that make them cells of their own
_LEVEL = 0.5  # of the smaller line's height between the middles of two lines that are one
_MOST_WORDS = 20_000
_LINE = re.compile(r"[^\n]+")
_CELL = re.compile(r"[^\s|](?:[^|\t\n]*?[^\s|])?(?=\s{0,40}[|\t\n]|\s{3,}|\s{0,40}$)")
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


def parted_lines(page: Page, gap: float) -> Iterator[str]:
    """The lines of a page in the order of its text, parted where words are so many heights apart."""
    words = list(unpack_words(page.words))[:_MOST_WORDS]
    for line in _lines(page.text, words):
        yield from (" ".join(_cell(page.text, run).text.split()) for run in _runs(line, gap))


def _boxed(page: Page) -> Iterator[Row]:
    words = list(unpack_words(page.words))[:_MOST_WORDS]
    for line in _merged(_lines(page.text, words)):
        cells = tuple(_cell(page.text, run) for run in _runs(line))
        shown = tuple(cell for cell in cells if cell.text.strip())
        if shown:
            yield Row(page.number, min(w.top for w in line), max(w.bottom for w in line), shown)


def _lines(text: str, words: list[Word]) -> list[list[Word]]:
    """The words of each line of the text."""
    lines: list[list[Word]] = []
    before = 0
    for word in words:
        if not lines or "\n" in text[before : word.start]:
            lines.append([])
        lines[-1].append(word)
        before = word.end
    return lines


def _merged(lines: list[list[Word]]) -> list[list[Word]]:
    """Lines at the same height that do not stand in each other's way as one, from the top down."""
    merged: list[list[Word]] = []
    for line in sorted(lines, key=_middle):
        if merged and _beside(merged[-1], line):
            merged[-1] = sorted([*merged[-1], *line], key=lambda word: (word.left, word.start))
        else:
            merged.append(line)
    return merged


def _beside(one: list[Word], other: list[Word]) -> bool:
    smaller = min(_height(one), _height(other))
    if _middle(other) - _middle(one) > _LEVEL * smaller:
        return False
    left, right = min(word.left for word in other), max(word.right for word in other)
    return all(word.right <= left + 1 or word.left >= right - 1 for word in one)


def _middle(line: list[Word]) -> float:
    return median((word.top + word.bottom) / 2 for word in line)


def _height(line: list[Word]) -> float:
    return median(word.bottom - word.top for word in line)


def _runs(line: list[Word], gap: float = _GAP) -> Iterator[list[Word]]:
    height = median(word.bottom - word.top for word in line)
    run = [line[0]]
    for word in line[1:]:
        if word.left - run[-1].right > gap * height:
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
