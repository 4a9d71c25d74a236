"""Pieces of a page: runs of words on one line with no wide gap between them, what layout is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import numpy as np

from docyard.readers.pdf import pdfium_calls
from docyard.readers.pdf.pdfium_calls import Flags, Floats
from docyard.readers.pdf.words import Ints, Words

# A gap is wide beyond so much of a letter's height, or so many usual spaces: those of typewriter fonts are
# nearly as wide as their letters are high, and stand in pairs after sentences.
_WIDE, _SPACES, _WIDEST = 0.8, 2.2, 1.8
_SIDEWAYS = 1.5
_NOTHING = np.zeros(1, np.int64)
_FURTHEST = (np.minimum, np.minimum, np.maximum, np.maximum)
MOST_PIECES = 3000  # a page has fifty to five hundred; comparing more with each other would take too long
_HEADING_WIDTH = 0.8  # of the widest line; asking about every line cost more than all else here


@dataclass(frozen=True, slots=True)
class Pieces:
    """One entry for each piece in the order of the text: span, words, box, size of letters, bold or not."""

    starts: Ints
    ends: Ints
    firsts: Ints
    counts: Ints
    boxes: Floats
    sizes: Floats
    paired: Flags  # whether each but the last stands in one row with the next
    bold: tuple[bool, ...] = ()

    def __len__(self) -> int:
        """How many there are."""
        return len(self.starts)


def pieces_of(pages: Sequence[Words]) -> list[Pieces | None]:
    """The pieces of each page; None where its text stands sideways, or there is none or far too much.

    Several pages at once, because a page is too little for numpy: its calls cost more than their work.
    """
    filled = [words for words in pages if len(words.starts)]
    found = iter(_cut_up(filled) if filled else ())
    return [next(found) if len(words.starts) else None for words in pages]


def _cut_up(pages: Sequence[Words]) -> Iterator[Pieces | None]:
    words = _joined_words(pages)
    heights = words.boxes[3] - words.boxes[1]
    begins = np.flatnonzero(_breaks(words, heights)) + 1
    firsts = np.concatenate((_NOTHING, begins))
    counts = np.diff(firsts, append=len(heights))
    boxes = np.empty((4, len(firsts)), np.float32)
    for side, edge, furthest in zip(boxes, words.boxes, _FURTHEST, strict=True):
        furthest.reduceat(edge, firsts, out=side)
    sizes = (np.add.reduceat(heights, firsts) / counts).astype(np.float32)
    whole = Pieces(
        words.starts[firsts],
        words.ends[firsts + counts - 1],
        firsts,
        counts,
        boxes,
        sizes,
        beside(boxes, sizes),
    )
    cuts = np.searchsorted(firsts, words.cuts).tolist()
    sound = _is_level(words, heights)
    for page, (first, last) in enumerate(pairwise(cuts)):
        fits = sound[page] and last - first <= MOST_PIECES
        yield _part(whole, first, last, words.cuts[page]) if fits else None


@dataclass(frozen=True, slots=True)
class _JoinedWords:
    """The words of several pages one after the other, and where each page begins and the last one ends."""

    starts: Ints
    ends: Ints
    lines: Ints
    boxes: Floats
    cuts: list[int]


def _joined_words(pages: Sequence[Words]) -> _JoinedWords:
    """The words of several pages as if they were of one."""
    starts, ends, lines = (
        np.concatenate([getattr(words, name) for words in pages]) for name in ("starts", "ends", "lines")
    )
    boxes = np.concatenate([words.boxes for words in pages], axis=1)
    return _JoinedWords(starts, ends, lines, boxes, [0, *accumulate(len(words.starts) for words in pages)])


def _part(whole: Pieces, first: int, last: int, word: int) -> Pieces:
    """The pieces of one page, whose first word is the one of this number."""
    part = slice(first, last)
    return Pieces(
        whole.starts[part],
        whole.ends[part],
        whole.firsts[part] - word,
        whole.counts[part],
        whole.boxes[:, part],
        whole.sizes[part],
        whole.paired[first : last - 1],
    )


def _is_level(words: _JoinedWords, heights: Floats) -> list[bool]:
    """Whether the words of each page lie flat, as text does."""
    begins = words.cuts[:-1]
    tall = np.add.reduceat(heights, begins)
    wide = np.add.reduceat(words.boxes[2] - words.boxes[0], begins)
    level: list[bool] = (np.isfinite(tall) & (tall <= _SIDEWAYS * wide)).tolist()
    return level


def _breaks(words: _JoinedWords, heights: Floats) -> Flags:
    """Whether each word but the first begins a piece."""
    left, top, right, bottom = words.boxes
    gaps = left[1:] - right[:-1]
    room = np.minimum(heights[1:], heights[:-1])
    spaces = [_SPACES * _usual_space(gaps[first : last - 1]) for first, last in pairwise(words.cuts)]
    wide = np.repeat(np.array(spaces, np.float32), np.diff(words.cuts))[1:]
    wide = np.minimum(np.maximum(wide, _WIDE * room), _WIDEST * room)
    apart = (gaps > wide) | (gaps < -2 * room)
    apart |= (top[1:] > bottom[:-1]) | (bottom[1:] < top[:-1])
    apart |= words.lines[1:] != words.lines[:-1]
    apart[[cut - 1 for cut in words.cuts[1:-1]]] = True
    found: Flags = apart
    return found


def _usual_space(gaps: Floats) -> float:
    """The lower quartile of what stands between words: most are spaces, even where there are tables."""
    forward = gaps[gaps > 0]
    if not len(forward):
        return 0.0
    quarter = len(forward) // 4
    return float(np.partition(forward, quarter)[quarter])


def middle(values: Floats | Ints) -> float:
    """Their median; for so few, numpy's own takes ten times as long."""
    ranked = sorted(values.tolist())
    return float(ranked[len(ranked) // 2] + ranked[(len(ranked) - 1) // 2]) / 2


def with_fonts(pieces: Pieces, words: Words, page: int) -> Pieces:
    """The pieces, knowing which are bold from their first to their last word; a long one needs no look."""
    firsts = words.letters[pieces.firsts].tolist()
    lasts = words.letters[pieces.firsts + pieces.counts - 1].tolist()
    widths = pieces.boxes[2] - pieces.boxes[0]
    short = (widths < _HEADING_WIDTH * widths.max()).tolist()
    is_bold, handle = pdfium_calls.is_bold, pdfium_calls.as_argument(page)
    looks = zip(short, firsts, lasts, strict=True)
    bold = [look and is_bold(handle, first) and is_bold(handle, last) for look, first, last in looks]
    # Except beside a bold one, which may be the end of a long bold paragraph and no heading.
    if any(bold):
        for index in [at for at, look in enumerate(short) if not look and any(bold[max(at - 1, 0) : at + 2])]:
            bold[index] = is_bold(handle, firsts[index]) and is_bold(handle, lasts[index])
    return replace(pieces, bold=tuple(bold))


def beside(boxes: Floats, sizes: Floats) -> Flags:
    """Whether each piece and the one after it stand in one row, apart from each other."""
    left, top, right, bottom = boxes
    size = np.minimum(sizes[1:], sizes[:-1])
    shared = np.minimum(bottom[1:], bottom[:-1]) - np.maximum(top[1:], top[:-1])
    apart = (left[1:] >= right[:-1]) | (right[1:] <= left[:-1])
    found: Flags = (shared > 0.5 * size) & apart
    return found


def in_order(words: Words, pieces: Pieces, order: Ints) -> tuple[Words, Pieces]:
    """The same page with its pieces in another order: text, words and pieces alike."""
    text, starts = _joined(words.text, pieces, order)
    counts = pieces.counts[order]
    chosen = np.concatenate([np.arange(pieces.firsts[i], pieces.firsts[i] + pieces.counts[i]) for i in order])
    moved = np.repeat(starts - pieces.starts[order], counts)
    firsts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    ends = starts + pieces.ends[order] - pieces.starts[order]
    boxes, sizes = pieces.boxes[:, order], pieces.sizes[order]
    arranged = Pieces(starts, ends, firsts, counts, boxes, sizes, beside(boxes, sizes))
    return (
        Words(
            text,
            words.starts[chosen] + moved,
            words.ends[chosen] + moved,
            words.boxes[:, chosen],
            words.letters[chosen],
            words.lines[chosen],
        ),
        arranged,
    )


def _joined(text: str, pieces: Pieces, order: Ints) -> tuple[str, Ints]:
    """The text of the pieces in this order, and where each starts; neighbours keep what is between."""
    parts: list[str] = []
    starts: list[int] = []
    at = 0
    before = -2
    for index in order.tolist():
        if parts:
            together = index == before + 1
            parts.append(text[pieces.ends[before] : pieces.starts[index]] if together else "\n")
            at += len(parts[-1])
        starts.append(at)
        parts.append(text[pieces.starts[index] : pieces.ends[index]])
        at += len(parts[-1])
        before = index
    return "".join(parts), np.array(starts, np.int64)
