"""Markdown blocks (paragraphs, headings, list items, tables), and pages made of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from docyard.model.limits import Limits
from docyard.model.stage_values import Attachment, ExtractedText
from docyard.model.text.pages import Page
from docyard.readers.text import remove_invalid_characters, remove_soft_hyphens, split_pages

NEW_PAGE = "\f"  # a block that starts a new page
_MAX_PADDING = 10  # cells of a padded table, as a multiple of its cells without padding
_ITEM = re.compile(r"(\s*)(?:([-*])|\d+\.) ")
_HEADING = re.compile(r"#{1,6} ")
_CONTROL_CHARS = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]")


def heading(level: int, text: str) -> str:
    """Return a heading on one line; empty if the text is blank."""
    words = collapse_whitespace(text)
    return f"{'#' * max(1, min(level, 6))} {words}" if words else ""


def list_item(text: str, depth: int = 0, number: int | None = None) -> str:
    """Return a list item, its continuation lines indented under its text."""
    mark = "- " if number is None else f"{number}. "
    indent = "  " * depth
    return f"{indent}{mark}{text.strip()}".replace("\n", f"\n{indent}{' ' * len(mark)}")


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table with its header first; short rows are padded unless the table would become too large."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return ""
    # One long row must not pad thousands of others; Markdown viewers pad short rows themselves.
    min_width = width if width * len(rows) <= _MAX_PADDING * (sum(map(len, rows)) + width) else 0
    lines = [table_row(row, min_width) for row in rows[1:]]
    return "\n".join([table_row(rows[0], width), delimiter_row(width), *lines])


def split_table(lines: Iterable[str], max_chars: int) -> Iterator[str]:
    """Split a table, given as its header and rows, into tables that repeat the header.

    A table exceeds `max_chars` only if it has a single row.
    """
    remaining = iter(lines)
    header = list(islice(remaining, 1))
    header.extend(delimiter_row(line.count(" | ") + 1) for line in header[:])
    block, size = list(header), sum(map(len, header))
    for line in remaining:
        if size + len(line) + len(block) > max_chars and len(block) > len(header):
            yield "\n".join(block)
            block, size = list(header), sum(map(len, header))
        block.append(line)
        size += len(line)
    if block:
        yield "\n".join(block)


def table_row(cells: Sequence[str], width: int) -> str:
    """Return one line of a table, padded to at least `width` cells."""
    filled = [*map(_cell, cells), *[""] * (width - len(cells))]
    return f"| {' | '.join(filled)} |"


def delimiter_row(width: int) -> str:
    """Return the delimiter line below a table header."""
    return f"|{' --- |' * width}"


def comment_label(author: str, date: str) -> str:
    """Return the label of a comment: its author and date, as far as they are known."""
    name = collapse_whitespace(author)
    return "Comment" + (f" by {name}" if name else "") + (f" ({date[:10]})" if date else "")


def collapse_whitespace(text: str) -> str:
    """Return the text with each run of whitespace replaced by one space."""
    return " ".join(text.split())


def join_blocks(blocks: Iterable[str]) -> str:
    """Join blocks with a blank line between them, or a newline inside a list."""
    parts: list[str] = []
    previous = ""
    for block in blocks:
        parts += (_separator(previous, block), block)
        previous = block
    return "".join(parts)


def build_extracted(
    blocks: Iterable[str],
    limits: Limits,
    *,
    title: str | None = None,
    notes: Sequence[str] = (),
    attachments: Sequence[Attachment] = (),
) -> ExtractedText:
    """Return the blocks of a document as pages within the limits; add a note if pages are dropped."""
    texts = list(islice(split_into_pages(blocks, limits.text_page_chars), limits.pages + 1))
    if len(texts) > limits.pages:
        notes = [*notes, f"Only the first {limits.pages:,} pages were read."]
    pages = tuple(Page(number, text) for number, text in enumerate(texts[: limits.pages] or [""], start=1))
    clean_title = collapse_whitespace(remove_invalid_characters(title or ""))[:500]
    return ExtractedText(pages, clean_title or None, tuple(notes), tuple(attachments))


def split_into_pages(blocks: Iterable[str], page_chars: int) -> Iterator[str]:
    """Yield pages that end between blocks; only overlong blocks are split.

    A heading at the end of a full page moves to the next page.
    """
    page: list[str] = []
    size = 0
    page_requested = False
    for block in _clean_blocks(blocks, page_chars):
        if block == NEW_PAGE:
            if page_requested or page:
                yield join_blocks(page)
            page, size, page_requested = [], 0, True
            continue
        if page and size + len(block) > page_chars:
            # Move a heading to the page of the block that follows it.
            moved = page[-1:] if len(page) > 1 and _HEADING.match(page[-1]) else []
            yield join_blocks(page[: len(page) - len(moved)])
            page, size = moved, sum(len(each) + 2 for each in moved)
        page.append(block)
        size += len(block) + 2
    if page or page_requested:
        yield join_blocks(page)


def _clean_blocks(blocks: Iterable[str], page_chars: int) -> Iterator[str]:
    """Yield the blocks without control characters; split long ones so that a heading fits on their page."""
    max_chars = page_chars - page_chars // 10
    for block in blocks:
        if block == NEW_PAGE:
            yield block
            continue
        cleaned = _CONTROL_CHARS.sub("", remove_soft_hyphens(remove_invalid_characters(block))).strip("\n").rstrip()
        if len(cleaned) > max_chars:
            first, *rest = cleaned.split("\n")
            parts = split_table([first, *rest[1:]], max_chars) if _is_table(rest[:1]) else [cleaned]
            for part in parts:
                yield from split_pages([part], max_chars)
        elif cleaned.strip():
            yield cleaned


def _is_table(lines_below_first: list[str]) -> bool:
    return bool(lines_below_first) and lines_below_first[0].startswith("| ---")


def _separator(previous: str, block: str) -> str:
    if not previous:
        return ""
    current_item, previous_item = _ITEM.match(block), _ITEM.match(previous)
    same_list = (
        current_item and previous_item and (current_item[1] != previous_item[1] or current_item[2] == previous_item[2])
    )
    return "\n" if same_list else "\n\n"


def _cell(text: str) -> str:
    return collapse_whitespace(text).replace("|", "\\|")
