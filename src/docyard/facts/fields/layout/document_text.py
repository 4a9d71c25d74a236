"""A document's pages read as one text, whose every place can be named by page and offset again."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from docyard.model.facts import FieldValue, Span
from docyard.model.text.pages import Page

MOST_CHARS = 600_000  # a longer document says what it is before its end
_LINE = re.compile(r"[^\n]+")


class Line(NamedTuple):
    """A line of the text that is not empty, without the space around it."""

    start: int
    end: int
    text: str


class Paper:
    """The text of all pages, a line break between them."""

    def __init__(self, pages: Iterable[Page], most: int = MOST_CHARS) -> None:
        self._starts: list[int] = []
        self._numbers: list[int] = []
        texts: list[str] = []
        room, at = most, 0
        for page in pages:
            if room <= 0:
                break
            texts.append(page.text[:room])
            self._starts.append(at)
            self._numbers.append(page.number)
            at += len(texts[-1]) + 1
            room -= len(texts[-1])
        self.text = "\n".join(texts)

    def span(self, start: int, end: int) -> Span:
        """The same place on its page; what runs over a page's end is cut there."""
        at = max(bisect_right(self._starts, start) - 1, 0)
        first = self._starts[at]
        after = self._starts[at + 1] - 1 if at + 1 < len(self._starts) else len(self.text)
        return Span(self._numbers[at], start - first, min(end, after) - first)

    def field(
        self, name: str, start: int, end: int, normal: str = "", *, confidence: float, source: str = "rule"
    ) -> FieldValue:
        """What stands at this place, as the value of a field."""
        span = self.span(start, end)
        value = self.text[start : start + span.end - span.start]
        return FieldValue(name, value, normal or one_line(value), confidence, source, span)

    def lines(self, most: int | None = None) -> Iterator[Line]:
        """The lines that are not empty, at most so many."""
        for count, match in enumerate(filter(_has_words, _LINE.finditer(self.text))):
            if most is not None and count >= most:
                return
            line = match[0]
            start = match.start() + len(line) - len(line.lstrip())
            yield Line(start, start + len(line.strip()), line.strip())


def _has_words(match: re.Match[str]) -> bool:
    return not match[0].isspace()


def one_line(text: str) -> str:
    """A value without the line breaks and the space that only its layout gave it."""
    return " ".join(text.split())
