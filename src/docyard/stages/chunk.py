"""Chunk: passages along the structure of a page, each exactly a slice of it, under the headings it stands."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from docyard.model.stages import Given, Stage
from docyard.model.text.pages import Page
from docyard.model.text.units import Unit, Weighed, units_of
from docyard.model.values import Chunk, Chunked, Extracted

# In word pieces as `Weighed` estimates them; models that embed chunks read about 256.
ENOUGH, MOST = 140, 210
LONGEST = 2000  # letters, where a text has few words and much space
SMALL = 30  # a passage this short goes together with the next heading
_LONGEST_HEADING = 400
_DEEPER = " › "

Span = tuple[int, int]


def run(given: Given) -> Chunked:
    """Cut every page into chunks, numbered through the document."""
    chunks: list[Chunk] = []
    headings = Headings()
    for page in given.the(Extracted).pages:
        for start, end, heading in _passages(page, headings):
            chunks.append(Chunk(len(chunks), page.number, start, end, page.text[start:end], heading))
    return Chunked(tuple(chunks))


class Headings:
    """The headings that the text read so far stands under, from the outermost to the innermost."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, words: str) -> None:
        """A heading ends all sections that are not above its own."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, words))

    def path(self) -> str:
        """All of them in one line."""
        return _DEEPER.join(words for _, words in self._open)[:_LONGEST_HEADING]


def _passages(page: Page, headings: Headings) -> Iterator[tuple[int, int, str]]:
    """Whole units together as long as there is room, and pieces of those that have no room in one."""
    text = Weighed(page.text)
    start = end = 0
    path, opening = "", False  # opening: there are only headings in it so far
    for unit in units_of(page):
        if start < end and not _joins(text, (start, end), unit, opening=opening):
            yield start, end, path
            start = end
        if start == end:
            start, path, opening = unit.start, headings.path(), True
        if unit.heading:
            headings.enter(unit.level, unit.heading)
        opening = opening and bool(unit.heading)
        path = headings.path() if opening else path
        *whole, (start, end) = _cut(text, start, unit)
        for piece in whole:
            yield *piece, path
    if start < end:
        yield start, end, path


def _joins(text: Weighed, passage: Span, unit: Unit, *, opening: bool) -> bool:
    """Whether a unit goes on with a passage; no heading is left alone, and no table is cut that would fit."""
    if _fits(text, passage[0], unit.end):
        return opening or not unit.heading or text.weight(*passage) <= SMALL
    return opening and not (unit.rows and _fits(text, unit.start, unit.end))


def _fits(text: Weighed, start: int, end: int) -> bool:
    return text.weight(start, end) <= MOST and end - start <= LONGEST


def _cut(text: Weighed, start: int, unit: Unit) -> list[Span]:
    """The passage from `start` to the unit's end, in as few pieces as its size allows."""
    cuts = [start, *(first for first, _ in unit.rows if start < first < unit.end), unit.end]
    found: list[Span] = []
    for first, last in pairwise(cuts):
        end = text.trimmed(first, last)
        if found and _fits(text, found[-1][0], end):
            found[-1] = (found[-1][0], end)
        else:
            found += _cut_text(text, text.next_word(first), end)
    return found


def _cut_text(text: Weighed, start: int, end: int) -> Iterator[Span]:
    """A stretch of text in pieces that end at the best place late in each."""
    while not _fits(text, start, end):
        stop = text.best_break(
            text.after(start, ENOUGH), min(text.after(start, MOST), start + LONGEST), start
        )
        yield start, text.trimmed(start, stop)
        start = text.next_word(stop)
    if start < end:
        yield start, end


STAGE = Stage(
    name="chunk",
    version=2,
    resource="cpu",
    needs=(Extracted,),
    gives=Chunked,
    run=run,
    label="Chunk",
    activity="Making it searchable",
)
