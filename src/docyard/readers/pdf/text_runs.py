"""Text runs of a page: words on one line with no wide gap between them, the units of layout analysis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import numpy as np

from docyard.readers.pdf import pdfium_calls
from docyard.readers.pdf.pdfium_calls import Flags, Floats
from docyard.readers.pdf.words import Ints, Words

# A gap is wide if it exceeds both _WIDE_HEIGHTS text heights and _WIDE_SPACES usual spaces, or _MAX_HEIGHTS
# text heights. Spaces of monospaced fonts are nearly as wide as the text is high, and occur in pairs.
_WIDE_HEIGHTS, _WIDE_SPACES, _MAX_HEIGHTS = 0.8, 2.2, 1.8
_ROTATED_RATIO = 1.5  # of height to width, summed over the words of a page; rotated text exceeds it
_ZERO = np.zeros(1, np.int64)
_EXTREMES = (np.minimum, np.minimum, np.maximum, np.maximum)
MAX_RUNS = 3000  # per page, usually 50 to 500; pages above the limit would take too long to analyse
_HEADING_WIDTH = 0.8  # maximum width relative to the widest run; checking the fonts of all takes too long


@dataclass(frozen=True, slots=True)
class TextRuns:
    """The text runs of a page in text order, as arrays: spans, words, boxes, sizes and weights."""

    starts: Ints
    ends: Ints
    first_words: Ints
    word_counts: Ints
    boxes: Floats
    sizes: Floats
    same_row_as_next: Flags  # whether each run but the last is in the same row as the next
    bold: tuple[bool, ...] = ()

    def __len__(self) -> int:
        """Return the number of text runs."""
        return len(self.starts)


def find_text_runs(pages: Sequence[Words]) -> list[TextRuns | None]:
    """Return the text runs of each page; None for a page with rotated text, no text or too many runs.

    Pages are processed together, because for a single page numpy's call overhead exceeds the work.
    """
    non_empty = [words for words in pages if len(words.starts)]
    results = iter(_split_into_runs(non_empty) if non_empty else ())
    return [next(results) if len(words.starts) else None for words in pages]


def _split_into_runs(pages: Sequence[Words]) -> Iterator[TextRuns | None]:
    words = _join_words(pages)
    heights = words.boxes[3] - words.boxes[1]
    run_starts = np.flatnonzero(_find_breaks(words, heights)) + 1
    firsts = np.concatenate((_ZERO, run_starts))
    counts = np.diff(firsts, append=len(heights))
    boxes = np.empty((4, len(firsts)), np.float32)
    for side, edge, extreme in zip(boxes, words.boxes, _EXTREMES, strict=True):
        extreme.reduceat(edge, firsts, out=side)
    sizes = (np.add.reduceat(heights, firsts) / counts).astype(np.float32)
    all_runs = TextRuns(
        words.starts[firsts], words.ends[firsts + counts - 1], firsts, counts, boxes, sizes, share_rows(boxes, sizes)
    )
    cuts = np.searchsorted(firsts, words.cuts).tolist()
    horizontal = _are_horizontal(words, heights)
    for page, (first, last) in enumerate(pairwise(cuts)):
        fits = horizontal[page] and last - first <= MAX_RUNS
        yield _slice_runs(all_runs, first, last, words.cuts[page]) if fits else None


@dataclass(frozen=True, slots=True)
class _JoinedWords:
    """The words of several pages in sequence; `cuts` has each page's first word index and the total count."""

    starts: Ints
    ends: Ints
    lines: Ints
    boxes: Floats
    cuts: list[int]


def _join_words(pages: Sequence[Words]) -> _JoinedWords:
    """Concatenate the words of several pages."""
    starts, ends, lines = (
        np.concatenate([getattr(words, name) for words in pages]) for name in ("starts", "ends", "lines")
    )
    boxes = np.concatenate([words.boxes for words in pages], axis=1)
    return _JoinedWords(starts, ends, lines, boxes, [0, *accumulate(len(words.starts) for words in pages)])


def _slice_runs(runs: TextRuns, first: int, last: int, first_word: int) -> TextRuns:
    """Return the text runs of one page; `first_word` is the index of its first word."""
    selected = slice(first, last)
    return TextRuns(
        runs.starts[selected],
        runs.ends[selected],
        runs.first_words[selected] - first_word,
        runs.word_counts[selected],
        runs.boxes[:, selected],
        runs.sizes[selected],
        runs.same_row_as_next[first : last - 1],
    )


def _are_horizontal(words: _JoinedWords, heights: Floats) -> list[bool]:
    """Return, for each page, whether its words are horizontal."""
    page_starts = words.cuts[:-1]
    heights_total = np.add.reduceat(heights, page_starts)
    widths_total = np.add.reduceat(words.boxes[2] - words.boxes[0], page_starts)
    horizontal: list[bool] = (np.isfinite(heights_total) & (heights_total <= _ROTATED_RATIO * widths_total)).tolist()
    return horizontal


def _find_breaks(words: _JoinedWords, heights: Floats) -> Flags:
    """Return, for each word but the first, whether it starts a text run."""
    left, top, right, bottom = words.boxes
    gaps = left[1:] - right[:-1]
    height = np.minimum(heights[1:], heights[:-1])
    spaces = [_WIDE_SPACES * _find_usual_space(gaps[first : last - 1]) for first, last in pairwise(words.cuts)]
    max_gaps = np.repeat(np.array(spaces, np.float32), np.diff(words.cuts))[1:]
    max_gaps = np.minimum(np.maximum(max_gaps, _WIDE_HEIGHTS * height), _MAX_HEIGHTS * height)
    breaks = (gaps > max_gaps) | (gaps < -2 * height)
    breaks |= (top[1:] > bottom[:-1]) | (bottom[1:] < top[:-1])
    breaks |= words.lines[1:] != words.lines[:-1]
    breaks[[cut - 1 for cut in words.cuts[1:-1]]] = True
    result: Flags = breaks
    return result


def _find_usual_space(gaps: Floats) -> float:
    """Return the lower quartile of the gaps between words: most are spaces, even in tables."""
    forward = gaps[gaps > 0]
    if not len(forward):
        return 0.0
    quarter = len(forward) // 4
    return float(np.partition(forward, quarter)[quarter])


def median(values: Floats | Ints) -> float:
    """Return the median; numpy's own function takes ten times as long for few values."""
    ordered = sorted(values.tolist())
    return float(ordered[len(ordered) // 2] + ordered[(len(ordered) - 1) // 2]) / 2


def mark_bold(runs: TextRuns, words: Words, page: int) -> TextRuns:
    """Mark the runs whose first and last words are bold; check a wide run only next to a bold one."""
    firsts = words.first_chars[runs.first_words].tolist()
    lasts = words.first_chars[runs.first_words + runs.word_counts - 1].tolist()
    widths = runs.boxes[2] - runs.boxes[0]
    short = (widths < _HEADING_WIDTH * widths.max()).tolist()
    is_bold, handle = pdfium_calls.is_bold, pdfium_calls.to_argument(page)
    checks = zip(short, firsts, lasts, strict=True)
    bold = [is_short and is_bold(handle, first) and is_bold(handle, last) for is_short, first, last in checks]
    # If a wide run next to a bold run is bold too, both are part of a bold paragraph, not a heading.
    if any(bold):
        wide = [n for n, is_short in enumerate(short) if not is_short and any(bold[max(n - 1, 0) : n + 2])]
        for index in wide:
            bold[index] = is_bold(handle, firsts[index]) and is_bold(handle, lasts[index])
    return replace(runs, bold=tuple(bold))


def share_rows(boxes: Floats, sizes: Floats) -> Flags:
    """Return, for each text run but the last, whether it and the next are in one row without overlapping."""
    left, top, right, bottom = boxes
    size = np.minimum(sizes[1:], sizes[:-1])
    shared = np.minimum(bottom[1:], bottom[:-1]) - np.maximum(top[1:], top[:-1])
    separate = (left[1:] >= right[:-1]) | (right[1:] <= left[:-1])
    result: Flags = (shared > 0.5 * size) & separate
    return result


def reorder_runs(words: Words, runs: TextRuns, order: Ints) -> tuple[Words, TextRuns]:
    """Return the words and text runs of a page, with its runs in this order and the text rebuilt."""
    text, starts = _join_text(words.text, runs, order)
    counts = runs.word_counts[order]
    chosen = np.concatenate([np.arange(runs.first_words[i], runs.first_words[i] + runs.word_counts[i]) for i in order])
    shifts = np.repeat(starts - runs.starts[order], counts)
    firsts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    ends = starts + runs.ends[order] - runs.starts[order]
    boxes, sizes = runs.boxes[:, order], runs.sizes[order]
    new_runs = TextRuns(starts, ends, firsts, counts, boxes, sizes, share_rows(boxes, sizes))
    return (
        Words(
            text,
            words.starts[chosen] + shifts,
            words.ends[chosen] + shifts,
            words.boxes[:, chosen],
            words.first_chars[chosen],
            words.lines[chosen],
        ),
        new_runs,
    )


def _join_text(text: str, runs: TextRuns, order: Ints) -> tuple[str, Ints]:
    """Return the text of the runs in this order, and their starts.

    Runs that were adjacent before keep the text between them; others are separated by a line end.
    """
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    previous = -2
    for index in order.tolist():
        if parts:
            adjacent = index == previous + 1
            parts.append(text[runs.ends[previous] : runs.starts[index]] if adjacent else "\n")
            length += len(parts[-1])
        starts.append(length)
        parts.append(text[runs.starts[index] : runs.ends[index]])
        length += len(parts[-1])
        previous = index
    return "".join(parts), np.array(starts, np.int64)
