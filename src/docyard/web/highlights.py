"""Marks on a page: the words of a search and a passage pointed at, in its text and on its picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from docyard.model.pages import Page, Word, unpack_words

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on the picture, in points, and what it marks."""

    kind: str
    left: float
    top: float
    width: float
    height: float


def boxes(page: Page, hits: Sequence[Span], passage: Span | None) -> list[Box]:
    """The rectangles of the marked words."""
    words = list(unpack_words(page.words))
    below = [_box("passage", word) for word in words if passage and _touches(word, passage)]
    return below + [_box("hit", word) for word in _hit_words(words, hits)]


def marked_text(text: str, hits: Sequence[Span], passage: Span | None) -> Markup:
    """The text with its marks; every piece of it is escaped."""
    edges = sorted(
        {0, len(text), *(edge for span in (*hits, *([passage] if passage else [])) for edge in span)}
    )
    pieces = [_piece(text, (start, end), hits, passage) for start, end in pairwise(edges)]
    return Markup("").join(pieces)


def passage_within(text: str, start: int | None, end: int | None) -> Span | None:
    """The passage pointed at, if it lies on this page."""
    if start is None or end is None:
        return None
    bounded = (min(start, len(text)), min(end, len(text)))
    return bounded if bounded[0] < bounded[1] else None


def _piece(text: str, span: Span, hits: Sequence[Span], passage: Span | None) -> Markup:
    piece = Markup.escape(text[span[0] : span[1]])
    if any(_within(span, hit) for hit in hits):
        piece = Markup("<mark>{}</mark>").format(piece)
    if passage and _within(span, passage):
        piece = Markup('<span class="passage">{}</span>').format(piece)
    return piece


def _hit_words(words: Iterable[Word], hits: Sequence[Span]) -> Iterable[Word]:
    return (word for word in words if any(_touches(word, hit) for hit in hits))


def _touches(word: Word, span: Span) -> bool:
    return word.start < span[1] and span[0] < word.end


def _within(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _box(kind: str, word: Word) -> Box:
    return Box(kind, word.left, word.top, word.right - word.left, word.bottom - word.top)
