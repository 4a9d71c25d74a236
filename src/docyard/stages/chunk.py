"""Chunk: passages of about a paragraph's size, each exactly a slice of one page."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import chain

from docyard.model.pages import Page
from docyard.model.stages import Given, Stage
from docyard.model.values import Chunk, Chunked, Extracted

ENOUGH, MOST = 800, 1200

# A chunk ends at the best of these places between ENOUGH and MOST: paragraph, line, sentence, word.
_BREAKS = (
    re.compile(r"\n[^\S\n]*\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?;:。！？]['\")\]»”]?\s"),
    re.compile(r"\s"),
)
_WORD = re.compile(r"\S")


def run(given: Given) -> Chunked:
    """Cut every page into chunks, numbered through the document."""
    spans = chain.from_iterable(_page_spans(page) for page in given.the(Extracted).pages)
    return Chunked(
        tuple(
            Chunk(ordinal, page.number, start, end, page.text[start:end])
            for ordinal, (page, start, end) in enumerate(spans)
        )
    )


def _page_spans(page: Page) -> Iterator[tuple[Page, int, int]]:
    return ((page, start, end) for start, end in spans(page.text))


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the chunks of a text start and end; every character that is not space is in exactly one."""
    start = _next_word(text, 0)
    while start < len(text):
        stop = _stop(text, start)
        yield start, start + len(text[start:stop].rstrip())
        start = _next_word(text, stop)


def _stop(text: str, start: int) -> int:
    """Where the chunk from `start` should stop: at the best break late in it, else the last word's end."""
    latest = start + MOST
    if len(text) <= latest:
        return len(text)
    for pattern in _BREAKS:
        if end := _last_end(pattern, text, start + ENOUGH, latest + 1):
            return end
    # A word with no end in sight gets chunks of its own, and only such a word is cut.
    return _last_end(_BREAKS[-1], text, start, start + ENOUGH) or latest


def _last_end(pattern: re.Pattern[str], text: str, low: int, high: int) -> int:
    last = deque(pattern.finditer(text, low, high), maxlen=1)
    return last[0].end() if last else 0


def _next_word(text: str, at: int) -> int:
    found = _WORD.search(text, at)
    return found.start() if found else len(text)


STAGE = Stage("chunk", 1, "cpu", (Extracted,), Chunked, run)
