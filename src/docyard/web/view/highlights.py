"""Highlights of search words, a passage and facts, in the text and on the image of a page."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from markupsafe import Markup

from docyard.model.text.bounding_boxes import BoundingBox, merge_line_boxes
from docyard.model.text.pages import Page, Word, unpack_words

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on the page image, in points; `kind` is "hit" or "passage"."""

    kind: str
    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of a fact: position, tooltip, link and CSS classes."""

    start: int
    end: int
    words: str
    link: str
    look: str  # classes: "field" or "thing", its kind, its state, "chosen"
    key: str  # shared by all marks of one entity, date, amount or field


def highlight_boxes(page: Page, hits: Sequence[Span], passage: Span | None) -> list[Box]:
    """Return the rectangles of highlighted words, the passage first."""
    words = list(unpack_words(page.words))
    passages = [_box("passage", word) for word in words if passage and _overlaps(word, passage)]
    return passages + [_box("hit", word) for word in _hit_words(words, hits)]


def mark_rectangles(page: Page, marks: Iterable[Mark]) -> list[tuple[Mark, list[BoundingBox]]]:
    """Return marks with one rectangle per line, longest mark first, so that shorter ones are drawn on top."""
    words = sorted(unpack_words(page.words))
    ends = [word.end for word in words]
    located = ((mark, merge_line_boxes(_words_near(words, ends, mark), mark.start, mark.end)) for mark in marks)
    return sorted((each for each in located if each[1]), key=lambda each: each[0].start - each[0].end)


def highlight_text(text: str, hits: Sequence[Span], passage: Span | None, marks: Sequence[Mark] = ()) -> Markup:
    """Return the text as escaped HTML with its highlights."""
    links = _drop_overlaps(marks, len(text))
    spans = (*hits, *([passage] if passage else []), *((mark.start, mark.end) for mark in links))
    segments = list(pairwise(sorted({0, len(text), *(edge for span in spans for edge in span)})))
    shown = []
    for mark, run in groupby(segments, lambda segment: _enclosing_mark(links, segment)):
        inner = Markup("").join(_mark_segment(text, segment, hits, passage) for segment in run)
        shown.append(_link(mark, inner) if mark else inner)
    return Markup("").join(shown)


def clip_passage(text: str, start: int | None, end: int | None) -> Span | None:
    """Return the passage clipped to this page; None if nothing remains."""
    if start is None or end is None:
        return None
    clipped = (min(start, len(text)), min(end, len(text)))
    return clipped if clipped[0] < clipped[1] else None


def _link(mark: Mark, inner: Markup) -> Markup:
    return Markup('<a class="said {}" href="{}" title="{}" data-thing="{}">{}</a>').format(
        mark.look, mark.link, mark.words, mark.key, inner
    )


def _drop_overlaps(marks: Sequence[Mark], length: int) -> list[Mark]:
    """Drop overlapping marks, because links cannot be nested; keep the first to start, then the longest."""
    kept: list[Mark] = []
    end = 0
    for mark in sorted(marks, key=lambda each: (each.start, -each.end)):
        if end <= mark.start < mark.end <= length:
            kept.append(mark)
            end = mark.end
    return kept


def _enclosing_mark(links: Sequence[Mark], segment: Span) -> Mark | None:
    index = bisect_right(links, segment[0], key=lambda mark: mark.start)
    mark = links[index - 1] if index else None
    return mark if mark and segment[1] <= mark.end else None


def _mark_segment(text: str, span: Span, hits: Sequence[Span], passage: Span | None) -> Markup:
    segment = Markup.escape(text[span[0] : span[1]])
    if any(_within(span, hit) for hit in hits):
        segment = Markup("<mark>{}</mark>").format(segment)
    if passage and _within(span, passage):
        segment = Markup('<span class="passage">{}</span>').format(segment)
    return segment


def _words_near(words: Sequence[Word], ends: Sequence[int], mark: Mark) -> Iterator[Word]:
    """Yield the words that a mark may overlap; binary search, because a page may have thousands of words."""
    for word in words[bisect_right(ends, mark.start) :]:
        if word.start >= mark.end:
            return
        yield word


def _hit_words(words: Iterable[Word], hits: Sequence[Span]) -> Iterable[Word]:
    return (word for word in words if any(_overlaps(word, hit) for hit in hits))


def _overlaps(word: Word, span: Span) -> bool:
    return word.start < span[1] and span[0] < word.end


def _within(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _box(kind: str, word: Word) -> Box:
    return Box(kind, word.left, word.top, word.right - word.left, word.bottom - word.top)
