"""Marks on a page: the words of a search, a passage pointed at, and facts, in its text and on its picture."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from markupsafe import Markup

from docyard.model.text.pages import Page, Word, unpack_words
from docyard.model.text.places import Place, lines_of

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on the picture, in points, and what it marks."""

    kind: str
    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Mark:
    """A fact that a page tells: where, what it is in words, where a click leads, and how it looks."""

    start: int
    end: int
    words: str
    link: str
    look: str  # classes: "field" or "thing", its kind, its state, "chosen"
    key: str  # what marks of one thing have in common


def boxes(page: Page, hits: Sequence[Span], passage: Span | None) -> list[Box]:
    """The rectangles of the marked words."""
    words = list(unpack_words(page.words))
    below = [_box("passage", word) for word in words if passage and _touches(word, passage)]
    return below + [_box("hit", word) for word in _hit_words(words, hits)]


def drawn(page: Page, marks: Iterable[Mark]) -> list[tuple[Mark, list[Place]]]:
    """Marks with the rectangles of their lines, the longest first: a shorter one can then be pointed at."""
    words = sorted(unpack_words(page.words))
    ends = [word.end for word in words]
    placed = ((mark, lines_of(_near(words, ends, mark), mark.start, mark.end)) for mark in marks)
    return sorted((each for each in placed if each[1]), key=lambda each: each[0].start - each[0].end)


def marked_text(text: str, hits: Sequence[Span], passage: Span | None, marks: Sequence[Mark] = ()) -> Markup:
    """The text with its marks; every piece of it is escaped."""
    links = _apart(marks, len(text))
    spans = (*hits, *([passage] if passage else []), *((mark.start, mark.end) for mark in links))
    pieces = list(pairwise(sorted({0, len(text), *(edge for span in spans for edge in span)})))
    shown = []
    for mark, run in groupby(pieces, lambda piece: _around(links, piece)):
        inner = Markup("").join(_piece(text, piece, hits, passage) for piece in run)
        shown.append(_linked(mark, inner) if mark else inner)
    return Markup("").join(shown)


def passage_within(text: str, start: int | None, end: int | None) -> Span | None:
    """The passage pointed at, if it lies on this page."""
    if start is None or end is None:
        return None
    bounded = (min(start, len(text)), min(end, len(text)))
    return bounded if bounded[0] < bounded[1] else None


def _linked(mark: Mark, inner: Markup) -> Markup:
    return Markup('<a class="said {}" href="{}" title="{}" data-thing="{}">{}</a>').format(
        mark.look, mark.link, mark.words, mark.key, inner
    )


def _apart(marks: Sequence[Mark], length: int) -> list[Mark]:
    """Links cannot stand inside each other: of marks that share letters, the first and longest stays."""
    taken: list[Mark] = []
    end = 0
    for mark in sorted(marks, key=lambda each: (each.start, -each.end)):
        if end <= mark.start < mark.end <= length:
            taken.append(mark)
            end = mark.end
    return taken


def _around(links: Sequence[Mark], piece: Span) -> Mark | None:
    place = bisect_right(links, piece[0], key=lambda mark: mark.start)
    mark = links[place - 1] if place else None
    return mark if mark and piece[1] <= mark.end else None


def _piece(text: str, span: Span, hits: Sequence[Span], passage: Span | None) -> Markup:
    piece = Markup.escape(text[span[0] : span[1]])
    if any(_within(span, hit) for hit in hits):
        piece = Markup("<mark>{}</mark>").format(piece)
    if passage and _within(span, passage):
        piece = Markup('<span class="passage">{}</span>').format(piece)
    return piece


def _near(words: Sequence[Word], ends: Sequence[int], mark: Mark) -> Iterator[Word]:
    """The words from the first that a mark can touch to the last; looking at all of them takes too long."""
    for word in words[bisect_right(ends, mark.start) :]:
        if word.start >= mark.end:
            return
        yield word


def _hit_words(words: Iterable[Word], hits: Sequence[Span]) -> Iterable[Word]:
    return (word for word in words if any(_touches(word, hit) for hit in hits))


def _touches(word: Word, span: Span) -> bool:
    return word.start < span[1] and span[0] < word.end


def _within(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _box(kind: str, word: Word) -> Box:
    return Box(kind, word.left, word.top, word.right - word.left, word.bottom - word.top)
