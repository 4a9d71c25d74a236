"""Units of a page's text that a passage should not split, taken from its blocks or its Markdown."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from docyard.model.text.blocks import Block, unpack_blocks
from docyard.model.text.pages import Page

# Approximates WordPiece tokens: up to four letters or digits, one punctuation mark, or one ideograph.
_TOKEN = re.compile(r"[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W_]{1,4}|[^\w\s]|_")
# Where a passage may end, best first: after a paragraph, a line, a sentence, a word.
_BREAKS = (re.compile(r"\n[^\S\n]*\n"), re.compile(r"\n"), re.compile(r"[.!?;:。！？]['\")\]»”]?\s"), re.compile(r"\s"))
_NON_SPACE = re.compile(r"\S")
# Markdown units: a fenced block, a table, a heading, or other lines up to a blank line or another unit.
_MARKDOWN = re.compile(
    r"(?P<fence>^(```|~~~).*\n(?:.*\n)*?\2.*$)"
    r"|(?P<table>(?:^[ \t]*\|.*\|[ \t]*(?:\n|\Z))+)"
    r"|(?P<heading>^\#{1,6}[ \t]+\S.*$)"
    r"|(?P<text>^.*\S.*$(?:\n(?!\#{1,6}[ \t]|[ \t]*\||```|~~~).*\S.*$)*)",
    re.MULTILINE,
)
_CLOSING_HASHES = re.compile(r"\s*#+\s*$")


@dataclass(frozen=True, slots=True)
class Unit:
    """A range of a text; a heading also has its words and level, and a table the spans of its rows."""

    start: int
    end: int
    heading: str = ""
    level: int = 0
    rows: tuple[tuple[int, int], ...] = ()


class TokenCounter:
    """A text whose length is measured in estimated tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._token_starts = [match.start() for match in _TOKEN.finditer(text)]

    def count_tokens(self, start: int, end: int) -> int:
        """Return the number of tokens that start between two offsets."""
        return bisect_left(self._token_starts, end) - bisect_left(self._token_starts, start)

    def offset_after(self, start: int, tokens: int) -> int:
        """Return the offset of the token that is `tokens` tokens after `start`, or the end of the text."""
        index = bisect_left(self._token_starts, start) + tokens
        return self._token_starts[index] if index < len(self._token_starts) else len(self.text)

    def find_best_break(self, low: int, high: int, start: int) -> int:
        """Return the best break from `low` to `high`, else the last space before `low`, else `high`."""
        for pattern in _BREAKS:
            if end := _last_end(pattern, self.text, low, high):
                return end
        # A long word moves to the next passage; a word that is longer than a passage is split.
        return _last_end(_BREAKS[-1], self.text, start, low) or high

    def trim_end(self, start: int, end: int) -> int:
        """Return the offset where the last word before `end` ends."""
        return start + len(self.text[start:end].rstrip())

    def find_next_word(self, at: int) -> int:
        """Return the offset where the next word starts, or the end of the text."""
        found = _NON_SPACE.search(self.text, at)
        return found.start() if found else len(self.text)


def _last_end(pattern: re.Pattern[str], text: str, low: int, high: int) -> int:
    last = deque(pattern.finditer(text, low, high), maxlen=1)
    return last[0].end() if last else 0


def split_units(page: Page) -> Iterator[Unit]:
    """Yield the units of a page in order; every non-space character is in exactly one unit."""
    found = _units_from_blocks(page) if page.blocks else _units_from_markdown(page.text)
    at = 0
    for unit in (_trim(page.text, unit) for unit in found):
        if not at <= unit.start < unit.end <= len(page.text):
            continue  # empty, or overlaps the previous unit
        yield from _yield_gap(page.text, at, unit.start)
        yield unit
        at = unit.end
    yield from _yield_gap(page.text, at, len(page.text))


def _trim(text: str, unit: Unit) -> Unit:
    words = text[unit.start : unit.end]
    start = unit.start + len(words) - len(words.lstrip())
    return replace(unit, start=start, end=start + len(words.strip()))


def _yield_gap(text: str, start: int, end: int) -> Iterator[Unit]:
    """Yield the range as a unit, without surrounding space, unless it is blank."""
    first = _NON_SPACE.search(text, start, end)
    if first:
        yield Unit(first.start(), first.start() + len(text[first.start() : end].rstrip()))


def _units_from_blocks(page: Page) -> Iterator[Unit]:
    blocks = list(unpack_blocks(page.blocks))
    for at, block in enumerate(blocks):
        if block.kind == "heading":
            words = " ".join(page.text[block.start : block.end].split())
            yield Unit(block.start, block.end, words, block.level)
        elif block.kind == "table":
            yield Unit(block.start, block.end, rows=_row_spans(block, blocks[at + 1 :]))
        elif block.kind not in ("row", "cell"):
            yield Unit(block.start, block.end)


def _row_spans(table: Block, following: Sequence[Block]) -> tuple[tuple[int, int], ...]:
    """Return the rows as consecutive ranges of the text; rows whose cells overlap share one range."""
    rows = _cells_by_row(following)
    first_starts = [table.end]  # lowest offset of each row and all later rows, last row first
    for cells in reversed(rows):
        first_starts.append(min([first_starts[-1], *(cell.start for cell in cells)]))
    starts, reached = [table.start], table.start
    for cells, first in zip(rows, reversed(first_starts), strict=False):
        if reached <= first and first > starts[-1]:
            starts.append(first)
        reached = max([reached, *(cell.end for cell in cells)])
    return tuple(zip(starts, [*starts[1:], table.end], strict=True))


def _cells_by_row(following: Sequence[Block]) -> list[list[Block]]:
    rows: list[list[Block]] = []
    for block in following:
        if block.kind == "row":
            rows.append([])
        elif block.kind == "cell" and rows:
            rows[-1].append(block)
        else:
            break
    return rows


def _units_from_markdown(text: str) -> Iterator[Unit]:
    for match in _MARKDOWN.finditer(text):
        start, end = match.span()
        if match["heading"]:
            words = match["heading"].lstrip("#")
            level = len(match["heading"]) - len(words)
            yield Unit(start, end, _CLOSING_HASHES.sub("", words).strip(), level)
        elif match["table"]:
            yield Unit(start, end, rows=_line_spans(text, start, len(text[:end].rstrip())))
        else:
            yield Unit(start, end)


def _line_spans(text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    ends = [match.end() for match in re.finditer("\n", text[start:end])]
    cuts = [start, *(start + each for each in ends), end]
    return tuple(pairwise(cuts))
