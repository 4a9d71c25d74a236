"""Pieces of a page: runs of words on one line with no wide gap between them, what layout is made of."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, replace

import numpy as np

from docyard.engines import pdf_calls
from docyard.engines.pdf_calls import Flags, Floats
from docyard.engines.pdf_words import Ints, Words

# A gap is wide beyond so much of a letter's height, or so many usual spaces: those of typewriter fonts are
# nearly as wide as their letters are high, and stand in pairs after sentences.
_WIDE, _SPACES, _WIDEST = 0.8, 2.2, 1.8
_SIDEWAYS = 1.5
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


def pieces_of(words: Words) -> Pieces | None:
    """The pieces of a page; None where its text stands sideways, or there is none or far too much."""
    left, top, right, bottom = words.boxes
    heights = bottom - top
    tall = float(heights.sum())
    if not len(left) or not np.isfinite(tall) or tall > _SIDEWAYS * float((right - left).sum()):
        return None
    firsts = np.concatenate(([0], np.flatnonzero(_breaks(words, heights)) + 1))
    if len(firsts) > MOST_PIECES:
        return None
    lasts = np.concatenate((firsts[1:], [len(left)])) - 1
    counts = lasts - firsts + 1
    boxes = np.stack(
        (
            np.minimum.reduceat(left, firsts),
            np.minimum.reduceat(top, firsts),
            np.maximum.reduceat(right, firsts),
            np.maximum.reduceat(bottom, firsts),
        )
    )
    sizes = (np.add.reduceat(heights, firsts) / counts).astype(np.float32)
    paired = beside(boxes, sizes)
    return Pieces(words.starts[firsts], words.ends[lasts], firsts, counts, boxes, sizes, paired)


def _breaks(words: Words, heights: Floats) -> Flags:
    """Whether each word but the first begins a piece."""
    left, top, right, bottom = words.boxes
    codes = np.frombuffer(words.text.encode("utf-32-le"), np.uint32)
    line = np.searchsorted(np.flatnonzero(codes == 10), words.starts)
    gaps = left[1:] - right[:-1]
    room = np.minimum(heights[1:], heights[:-1])
    wide = np.clip(_SPACES * _usual_space(gaps), _WIDE * room, _WIDEST * room)
    apart = (gaps > wide) | (gaps < -2 * room)
    apart |= (top[1:] > bottom[:-1]) | (bottom[1:] < top[:-1])
    found: Flags = apart | (line[1:] != line[:-1])
    return found


def _usual_space(gaps: Floats) -> float:
    """The lower quartile of what stands between words: most are spaces, even where there are tables."""
    forward = gaps[gaps > 0]
    quarter = len(forward) // 4
    return float(np.partition(forward, quarter)[quarter]) if len(forward) else 0.0


def with_fonts(pieces: Pieces, words: Words, page: int) -> Pieces:
    """The pieces, knowing which are bold from their first to their last word; a long one needs no look."""
    firsts = words.letters[pieces.firsts].tolist()
    lasts = words.letters[pieces.firsts + pieces.counts - 1].tolist()
    widths = pieces.boxes[2] - pieces.boxes[0]
    short = (widths < _HEADING_WIDTH * widths.max()).tolist()
    is_bold, handle = pdf_calls.is_bold, ctypes.c_void_p(page)
    looks = zip(short, firsts, lasts, strict=True)
    bold = [look and is_bold(handle, first) and is_bold(handle, last) for look, first, last in looks]
    # Except beside a bold one, which may be the end of a long bold paragraph and no heading.
    for index in [at for at, look in enumerate(short) if not look and any(bold[max(at - 1, 0) : at + 2])]:
        bold[index] = is_bold(handle, firsts[index]) and is_bold(handle, lasts[index])
    return replace(pieces, bold=tuple(bold))


def beside(boxes: Floats, sizes: Floats, distance: int = 1) -> Flags:
    """Whether each piece and the one so many after it stand in one row, apart from each other."""
    left, top, right, bottom = boxes
    size = np.minimum(sizes[distance:], sizes[:-distance])
    shared = np.minimum(bottom[distance:], bottom[:-distance]) - np.maximum(top[distance:], top[:-distance])
    apart = (left[distance:] >= right[:-distance]) | (right[distance:] <= left[:-distance])
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
