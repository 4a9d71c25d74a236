"""Markdown from blocks (paragraphs, headings, list items, tables), and blocks as pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from docyard.model.limits import Limits
from docyard.model.text.pages import Page
from docyard.model.values import Attachment, Extracted
from docyard.readers.text import clean, split_pages, undivided

NEW_PAGE = "\f"  # a block of its own: what follows begins a page
_MOST_FILLED = 10  # cells in a table for each that something stands in
_ITEM = re.compile(r"(\s*)(?:([-*])|\d+\.) ")
_HEADING = re.compile(r"#{1,6} ")
_CONTROLS = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]")


def heading(level: int, text: str) -> str:
    """A heading, on one line."""
    words = one_line(text)
    return f"{'#' * max(1, min(level, 6))} {words}" if words else ""


def item(text: str, depth: int = 0, number: int | None = None) -> str:
    """An item of a list, its further lines below its first."""
    mark = "- " if number is None else f"{number}. "
    indent = "  " * depth
    return f"{indent}{mark}{text.strip()}".replace("\n", f"\n{indent}{' ' * len(mark)}")


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row is its header; shorter rows are filled up."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return ""
    # One long row must not make thousands of others as long; viewers fill them up by themselves.
    least = width if width * len(rows) <= _MOST_FILLED * (sum(map(len, rows)) + width) else 0
    lines = [table_row(row, least) for row in rows[1:]]
    return "\n".join([table_row(rows[0], width), rule(width), *lines])


def table_blocks(lines: Iterable[str], most: int) -> Iterator[str]:
    """The lines of a table, its header first, as tables of at most so many characters, each with it."""
    waiting = iter(lines)
    top = list(islice(waiting, 1))
    top.extend(rule(line.count(" | ") + 1) for line in top[:])
    block, size = list(top), sum(map(len, top))
    for line in waiting:
        if size + len(line) + len(block) > most and len(block) > len(top):
            yield "\n".join(block)
            block, size = list(top), sum(map(len, top))
        block.append(line)
        size += len(line)
    if block:
        yield "\n".join(block)


def table_row(cells: Sequence[str], width: int) -> str:
    """One line of a table."""
    filled = [*map(_cell, cells), *[""] * (width - len(cells))]
    return f"| {' | '.join(filled)} |"


def rule(width: int) -> str:
    """The line below a table's header."""
    return f"|{' --- |' * width}"


def signed(author: str, day: str) -> str:
    """Who remarked something, and when, as far as it is known."""
    by = one_line(author)
    return "Comment" + (f" by {by}" if by else "") + (f" ({day[:10]})" if day else "")


def one_line(text: str) -> str:
    """The text with every space, also a line's end, as one blank."""
    return " ".join(text.split())


def joined(blocks: Iterable[str]) -> str:
    """The blocks as one text: a blank line between them, none inside a list."""
    pieces: list[str] = []
    before = ""
    for block in blocks:
        pieces += (_between(before, block), block)
        before = block
    return "".join(pieces)


def extracted(
    blocks: Iterable[str],
    limits: Limits,
    *,
    title: str | None = None,
    notes: Sequence[str] = (),
    attachments: Sequence[Attachment] = (),
) -> Extracted:
    """What a reader read, as pages within the limits."""
    texts = list(islice(paged(blocks, limits.text_page_chars), limits.pages + 1))
    if len(texts) > limits.pages:
        notes = [*notes, f"Only the first {limits.pages:,} pages were read."]
    pages = tuple(Page(number, text) for number, text in enumerate(texts[: limits.pages] or [""], start=1))
    named = one_line(clean(title or ""))[:500]
    return Extracted(pages, named or None, tuple(notes), tuple(attachments))


def paged(blocks: Iterable[str], page_chars: int) -> Iterator[str]:
    """Pages that end between blocks, never after a heading; only what is longer than a page is split."""
    page: list[str] = []
    size = 0
    begun = False
    for block in _pieces(blocks, page_chars):
        if block == NEW_PAGE:
            if begun or page:
                yield joined(page)
            page, size, begun = [], 0, True
            continue
        if page and size + len(block) > page_chars:
            # What a heading announces must not be left on another page.
            carried = page[-1:] if len(page) > 1 and _HEADING.match(page[-1]) else []
            yield joined(page[: len(page) - len(carried)])
            page, size = carried, sum(len(each) + 2 for each in carried)
        page.append(block)
        size += len(block) + 2
    if page or begun:
        yield joined(page)


def _pieces(blocks: Iterable[str], page_chars: int) -> Iterator[str]:
    """The blocks without what is no text, none so long that its heading would not fit on its page."""
    room = page_chars - page_chars // 10
    for block in blocks:
        if block == NEW_PAGE:
            yield block
            continue
        cleaned = _CONTROLS.sub("", undivided(clean(block))).strip("\n").rstrip()
        if len(cleaned) > room:
            first, *rest = cleaned.split("\n")
            whole = table_blocks([first, *rest[1:]], room) if _is_table(rest[:1]) else [cleaned]
            for one in whole:
                yield from split_pages([one], room)
        elif cleaned.strip():
            yield cleaned


def _is_table(second: list[str]) -> bool:
    return bool(second) and second[0].startswith("| ---")


def _between(before: str, block: str) -> str:
    if not before:
        return ""
    this, last = _ITEM.match(block), _ITEM.match(before)
    same = this and last and (this[1] != last[1] or this[2] == last[2])
    return "\n" if same else "\n\n"


def _cell(text: str) -> str:
    return one_line(text).replace("|", "\\|")
