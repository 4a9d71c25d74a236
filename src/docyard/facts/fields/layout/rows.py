"""Rows and cells of a page, from the positions of its words.

Files often store all labels before all figures; only the positions show which of them belong together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median

from docyard.model.facts import Span
from docyard.model.text.pages import Page, Word, unpack_words

_GAP = 1.0  # line heights; words with a wider gap between them are in separate cells
_MAX_LEVEL_DIFFERENCE = 0.5  # between the middles of two lines in one row, in heights of the smaller line
_MAX_WORDS = 20_000
_LINE = re.compile(r"[^\n]+")
_CELL = re.compile(r"[^\s|](?:[^|\t\n]*?[^\s|])?(?=\s{0,40}[|\t\n]|\s{3,}|\s{0,40}$)")
_CHARACTER_WIDTH = 5.0  # assumed for lines without word boxes


@dataclass(frozen=True, slots=True)
class Cell:
    """Words without a wide gap between them; `offsets` has the page offset of each character."""

    text: str
    offsets: tuple[int, ...]
    left: float
    right: float

    def span(self, page: int, start: int, end: int) -> Span:
        """Return the span of `text[start:end]` on the page."""
        return Span(page, self.offsets[start], self.offsets[end - 1] + 1)


@dataclass(frozen=True, slots=True)
class Row:
    """Cells next to each other, from left to right."""

    page: int
    top: float
    bottom: float
    cells: tuple[Cell, ...]

    @property
    def text(self) -> str:
        """The text of all cells, with two spaces between them."""
        return "  ".join(cell.text for cell in self.cells)


def read_rows(pages: Iterable[Page]) -> list[Row]:
    """Return the rows of all pages, from the top down."""
    return [row for page in pages for row in (_read_boxed_rows(page) if page.words else _read_plain_rows(page))]


def split_lines(page: Page, gap: float) -> Iterator[str]:
    """Yield the lines of a page in text order, split at gaps wider than this many line heights."""
    words = list(unpack_words(page.words))[:_MAX_WORDS]
    for line in _group_lines(page.text, words):
        yield from (" ".join(_make_cell(page.text, run).text.split()) for run in _split_at_gaps(line, gap))


def _read_boxed_rows(page: Page) -> Iterator[Row]:
    words = list(unpack_words(page.words))[:_MAX_WORDS]
    for line in _merge_lines(_group_lines(page.text, words)):
        cells = tuple(_make_cell(page.text, run) for run in _split_at_gaps(line))
        visible = tuple(cell for cell in cells if cell.text.strip())
        if visible:
            yield Row(page.number, min(w.top for w in line), max(w.bottom for w in line), visible)


def _group_lines(text: str, words: list[Word]) -> list[list[Word]]:
    """Return the words of each line of the text."""
    lines: list[list[Word]] = []
    previous_end = 0
    for word in words:
        if not lines or "\n" in text[previous_end : word.start]:
            lines.append([])
        lines[-1].append(word)
        previous_end = word.end
    return lines


def _merge_lines(lines: list[list[Word]]) -> list[list[Word]]:
    """Merge lines at the same height that do not overlap horizontally; return them from the top down."""
    merged: list[list[Word]] = []
    for line in sorted(lines, key=_find_middle):
        if merged and _are_side_by_side(merged[-1], line):
            merged[-1] = sorted([*merged[-1], *line], key=lambda word: (word.left, word.start))
        else:
            merged.append(line)
    return merged


def _are_side_by_side(one: list[Word], other: list[Word]) -> bool:
    smaller = min(_find_height(one), _find_height(other))
    if _find_middle(other) - _find_middle(one) > _MAX_LEVEL_DIFFERENCE * smaller:
        return False
    left, right = min(word.left for word in other), max(word.right for word in other)
    return all(word.right <= left + 1 or word.left >= right - 1 for word in one)


def _find_middle(line: list[Word]) -> float:
    return median((word.top + word.bottom) / 2 for word in line)


def _find_height(line: list[Word]) -> float:
    return median(word.bottom - word.top for word in line)


def _split_at_gaps(line: list[Word], gap: float = _GAP) -> Iterator[list[Word]]:
    height = median(word.bottom - word.top for word in line)
    run = [line[0]]
    for word in line[1:]:
        if word.left - run[-1].right > gap * height:
            yield run
            run = []
        run.append(word)
    yield run


def _make_cell(text: str, words: list[Word]) -> Cell:
    parts: list[str] = []
    offsets: list[int] = []
    for word in words:
        if parts:
            parts.append(" ")
            offsets.append(offsets[-1] + 1)
        parts.append(text[word.start : word.end])
        offsets.extend(range(word.start, word.end))
    return Cell("".join(parts), tuple(offsets), words[0].left, words[-1].right)


def _read_plain_rows(page: Page) -> Iterator[Row]:
    """Yield the lines of a text as rows; cells are separated by table bars, tabs or several spaces."""
    for number, line in enumerate(_LINE.finditer(page.text)):
        cells = tuple(
            Cell(
                found[0],
                tuple(range(line.start() + found.start(), line.start() + found.end())),
                found.start() * _CHARACTER_WIDTH,
                found.end() * _CHARACTER_WIDTH,
            )
            for found in _CELL.finditer(line[0])
        )
        if cells:
            yield Row(page.number, number * 10.0, number * 10.0 + 9.0, cells)
