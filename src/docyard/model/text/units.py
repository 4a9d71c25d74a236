"""The units of a page's text: what a passage should hold whole, from its blocks or from its Markdown."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from docyard.model.text.blocks import Block, unpack_blocks
from docyard.model.text.pages import Page

# About what a word-piece tokenizer makes of a text: up to four letters, or one sign, or one ideograph each.
_PIECE = re.compile(r"[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W_]{1,4}|[^\w\s]|_")
# A piece of text ends at the best of these places: paragraph, line, sentence, word.
_BREAKS = (
    re.compile(r"\n[^\S\n]*\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?;:。！？]['\")\]»”]?\s"),
    re.compile(r"\s"),
)
_WORD = re.compile(r"\S")
# What Markdown shows: a fenced block, a table, a heading, or else lines up to a blank one or one of these.
_MARKDOWN = re.compile(
    r"(?P<fence>^(```|~~~).*\n(?:.*\n)*?\2.*$)"
    r"|(?P<table>(?:^[ \t]*\|.*\|[ \t]*(?:\n|\Z))+)"
    r"|(?P<heading>^\#{1,6}[ \t]+\S.*$)"
    r"|(?P<text>^.*\S.*$(?:\n(?!\#{1,6}[ \t]|[ \t]*\||```|~~~).*\S.*$)*)",
    re.MULTILINE,
)
_HASHES = re.compile(r"\s*#+\s*$")


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of a text; a heading has its words and level, a table the spans of its rows."""

    start: int
    end: int
    heading: str = ""
    level: int = 0
    rows: tuple[tuple[int, int], ...] = ()


class Weighed:
    """A text that knows how heavy its parts are, in estimated word pieces."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._pieces = [match.start() for match in _PIECE.finditer(text)]

    def weight(self, start: int, end: int) -> int:
        """How many pieces begin between two places."""
        return bisect_left(self._pieces, end) - bisect_left(self._pieces, start)

    def after(self, start: int, pieces: int) -> int:
        """The place before which so many pieces begin after `start`."""
        index = bisect_left(self._pieces, start) + pieces
        return self._pieces[index] if index < len(self._pieces) else len(self.text)

    def best_break(self, low: int, high: int, start: int) -> int:
        """The best place to end between the two, else at the last word's end before, else right there."""
        for pattern in _BREAKS:
            if end := _last_end(pattern, self.text, low, high):
                return end
        # A word with no end in sight gets pieces of its own, and only such a word is cut.
        return _last_end(_BREAKS[-1], self.text, start, low) or high

    def trimmed(self, start: int, end: int) -> int:
        """Where the last word before `end` ends."""
        return start + len(self.text[start:end].rstrip())

    def next_word(self, at: int) -> int:
        """Where the next word starts."""
        found = _WORD.search(self.text, at)
        return found.start() if found else len(self.text)


def _last_end(pattern: re.Pattern[str], text: str, low: int, high: int) -> int:
    last = deque(pattern.finditer(text, low, high), maxlen=1)
    return last[0].end() if last else 0


def units_of(page: Page) -> Iterator[Unit]:
    """The units of a page in order; every character that is not space is in exactly one."""
    found = _from_blocks(page) if page.blocks else _from_markdown(page.text)
    at = 0
    for unit in (_trimmed(page.text, unit) for unit in found):
        if not at <= unit.start < unit.end <= len(page.text):
            continue  # it is empty or would overlap another
        yield from _between(page.text, at, unit.start)
        yield unit
        at = unit.end
    yield from _between(page.text, at, len(page.text))


def _trimmed(text: str, unit: Unit) -> Unit:
    words = text[unit.start : unit.end]
    start = unit.start + len(words) - len(words.lstrip())
    return replace(unit, start=start, end=start + len(words.strip()))


def _between(text: str, start: int, end: int) -> Iterator[Unit]:
    """What no unit covers."""
    first = _WORD.search(text, start, end)
    if first:
        yield Unit(first.start(), first.start() + len(text[first.start() : end].rstrip()))


def _from_blocks(page: Page) -> Iterator[Unit]:
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
    """The rows as stretches of the text; rows whose cells lie in each other's stretch count as one."""
    rows = _cells_by_row(following)
    later = [table.end]  # where the first cell of each row and those after it starts
    for cells in reversed(rows):
        later.append(min([later[-1], *(cell.start for cell in cells)]))
    starts, reached = [table.start], table.start
    for cells, first in zip(rows, reversed(later), strict=False):
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


def _from_markdown(text: str) -> Iterator[Unit]:
    for match in _MARKDOWN.finditer(text):
        start, end = match.span()
        if match["heading"]:
            words = match["heading"].lstrip("#")
            level = len(match["heading"]) - len(words)
            yield Unit(start, end, _HASHES.sub("", words).strip(), level)
        elif match["table"]:
            yield Unit(start, end, rows=_lines(text, start, len(text[:end].rstrip())))
        else:
            yield Unit(start, end)


def _lines(text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    ends = [match.end() for match in re.finditer("\n", text[start:end])]
    cuts = [start, *(start + each for each in ends), end]
    return tuple(pairwise(cuts))
