"""Chunk: passages that follow the structure of a page, as exact slices of its text with their headings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from docyard.model.stage_values import Chunk, DocumentChunks, ExtractedText
from docyard.model.stages import Stage, StageInput
from docyard.model.text.pages import Page
from docyard.model.text.units import TokenCounter, Unit, split_units

# In tokens as estimated by `TokenCounter`; embedding models read about 256.
MIN_TOKENS, MAX_TOKENS = 140, 210
MAX_CHARS = 2000  # characters, for texts with few words and much white space
SMALL_TOKENS = 30  # tokens; a shorter passage is joined with the next heading
_MAX_HEADING_CHARS = 400
_PATH_SEPARATOR = " › "

Span = tuple[int, int]


def run(inputs: StageInput) -> DocumentChunks:
    """Return the chunks of all pages, numbered across the document."""
    chunks: list[Chunk] = []
    headings = Headings()
    for page in inputs.get(ExtractedText).pages:
        for start, end, heading in _make_passages(page, headings):
            chunks.append(Chunk(len(chunks), page.number, start, end, page.text[start:end], heading))
    return DocumentChunks(tuple(chunks))


class Headings:
    """The headings above the text read so far, from the outermost to the innermost."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, text: str) -> None:
        """Add a heading and remove previous headings of the same or a deeper level."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, text))

    def path(self) -> str:
        """Return all headings on one line."""
        return _PATH_SEPARATOR.join(text for _, text in self._open)[:_MAX_HEADING_CHARS]


def _make_passages(page: Page, headings: Headings) -> Iterator[tuple[int, int, str]]:
    """Yield passages of whole units up to the limits; a unit that exceeds them is split."""
    text = TokenCounter(page.text)
    start = end = 0
    path, opening = "", False  # opening: the passage has only headings so far
    for unit in split_units(page):
        if start < end and not _is_joined(text, (start, end), unit, opening=opening):
            yield start, end, path
            start = end
        if start == end:
            start, path, opening = unit.start, headings.path(), True
        if unit.heading:
            headings.enter(unit.level, unit.heading)
        opening = opening and bool(unit.heading)
        path = headings.path() if opening else path
        *complete, (start, end) = _split_unit(text, start, unit)
        for span in complete:
            yield *span, path
    if start < end:
        yield start, end, path


def _is_joined(text: TokenCounter, passage: Span, unit: Unit, *, opening: bool) -> bool:
    """Return whether to add a unit to a passage.

    No heading is left alone, and no table that fits into one passage is split.
    """
    if _fits(text, passage[0], unit.end):
        return opening or not unit.heading or text.count_tokens(*passage) <= SMALL_TOKENS
    return opening and not (unit.rows and _fits(text, unit.start, unit.end))


def _fits(text: TokenCounter, start: int, end: int) -> bool:
    return text.count_tokens(start, end) <= MAX_TOKENS and end - start <= MAX_CHARS


def _split_unit(text: TokenCounter, start: int, unit: Unit) -> list[Span]:
    """Return spans within the limits that cover the text from `start` to the end of the unit."""
    breaks = [start, *(first for first, _ in unit.rows if start < first < unit.end), unit.end]
    found: list[Span] = []
    for first, last in pairwise(breaks):
        end = text.trim_end(first, last)
        if found and _fits(text, found[-1][0], end):
            found[-1] = (found[-1][0], end)
        else:
            found += _split_text(text, text.find_next_word(first), end)
    return found


def _split_text(text: TokenCounter, start: int, end: int) -> Iterator[Span]:
    """Yield parts of a range of text within the limits, split at the best breaks."""
    while not _fits(text, start, end):
        stop = text.find_best_break(
            text.offset_after(start, MIN_TOKENS), min(text.offset_after(start, MAX_TOKENS), start + MAX_CHARS), start
        )
        yield start, text.trim_end(start, stop)
        start = text.find_next_word(stop)
    if start < end:
        yield start, end


STAGE = Stage(
    name="chunk",
    version=2,
    resource="cpu",
    inputs=(ExtractedText,),
    output=DocumentChunks,
    run=run,
    label="Chunk",
    activity="Making the text searchable",
    required=True,
)
