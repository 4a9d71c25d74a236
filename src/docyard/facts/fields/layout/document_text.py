"""The pages of a document as one text, with offsets that can be converted to pages."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from docyard.model.facts import FieldValue, Span
from docyard.model.text.pages import Page

MAX_CHARS = 600_000  # the rest of a longer document is ignored
_LINE = re.compile(r"[^\n]+")


class Line(NamedTuple):
    """A line of the text that is not blank, without the white space around it."""

    start: int
    end: int
    text: str


class DocumentText:
    """The text of all pages up to a limit, joined by line breaks."""

    def __init__(self, pages: Iterable[Page], max_chars: int = MAX_CHARS) -> None:
        self._starts: list[int] = []
        self._numbers: list[int] = []
        texts: list[str] = []
        remaining, offset = max_chars, 0
        for page in pages:
            if remaining <= 0:
                break
            texts.append(page.text[:remaining])
            self._starts.append(offset)
            self._numbers.append(page.number)
            offset += len(texts[-1]) + 1
            remaining -= len(texts[-1])
        self.text = "\n".join(texts)

    def span(self, start: int, end: int) -> Span:
        """Return the span on its page; a range across a page break is cut off at the end of the page."""
        index = max(bisect_right(self._starts, start) - 1, 0)
        first = self._starts[index]
        after = self._starts[index + 1] - 1 if index + 1 < len(self._starts) else len(self.text)
        return Span(self._numbers[index], start - first, min(end, after) - first)

    def make_field(
        self, name: str, start: int, end: int, normal: str = "", *, confidence: float, source: str = "rule"
    ) -> FieldValue:
        """Return a field whose value is the text in this range."""
        span = self.span(start, end)
        value = self.text[start : start + span.end - span.start]
        return FieldValue(name, value, normal or collapse_whitespace(value), confidence, source, span)

    def lines(self, limit: int | None = None) -> Iterator[Line]:
        """Yield the lines that are not blank, up to a limit."""
        for count, match in enumerate(filter(_is_not_blank, _LINE.finditer(self.text))):
            if limit is not None and count >= limit:
                return
            line = match[0]
            start = match.start() + len(line) - len(line.lstrip())
            yield Line(start, start + len(line.strip()), line.strip())


def _is_not_blank(match: re.Match[str]) -> bool:
    return not match[0].isspace()


def collapse_whitespace(text: str) -> str:
    """Return a text with each run of white space replaced by one space."""
    return " ".join(text.split())
