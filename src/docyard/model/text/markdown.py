"""Pages as Markdown: blocks become headings, lists and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from docyard.model.text.blocks import TABLE_PARTS, Block, unpack_blocks
from docyard.model.text.pages import Page

_SPACE = re.compile(r"\s+")
_LINE_END_HYPHEN = re.compile(r"(?<=[^\W\d_])-\n(?=[^\W\d_])")  # a word hyphenated at a line break
_BULLET = re.compile(r"[•‣▪●○◦■–—*·\uf0b7-]\s+")
_PAGE_NUMBER = re.compile(r"\d+|\b(?:page|of|seite|von|pagina|di|página|de|sur)\b")
_MARGIN_KINDS = ("header", "footer")


def page_markdown(page: Page, seen: set[str] | None = None) -> str:
    """Return the page as Markdown, or its text unchanged if it has no blocks.

    Without `seen`, headers and footers are omitted. Otherwise, new ones are included and added to `seen`.
    """
    blocks = list(unpack_blocks(page.blocks))
    if not blocks:
        return page.text.strip()
    kept = [block for block in blocks if block.kind not in _MARGIN_KINDS or _is_unseen(page.text, block, seen)]
    return "".join(_join_parts(list(_parts(page.text, kept)))).strip()


def document_markdown(pages: Iterable[Page]) -> str:
    """Return all pages as Markdown; repeated headers and footers appear once."""
    seen: set[str] = set()
    return "\n\n".join(filter(None, (page_markdown(page, seen) for page in pages))) + "\n"


def _is_unseen(text: str, block: Block, seen: set[str] | None) -> bool:
    """Add a header or footer to `seen`; return whether it is new and more than a page number."""
    if seen is None:
        return False
    words = _PAGE_NUMBER.sub(" ", _unwrap(text[block.start : block.end]).casefold())
    key = " ".join(words.split())
    unseen = sum(map(str.isalpha, key)) > 2 and key not in seen
    seen.add(key)
    return unseen


def _join_parts(parts: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield parts and separators: a line break between list items, a blank line elsewhere."""
    previous = ""
    for kind, words in parts:
        yield "\n" if kind == previous == "item" else "\n\n"
        yield words
        previous = kind


def _parts(text: str, blocks: Sequence[Block]) -> Iterator[tuple[str, str]]:
    for at, block in enumerate(blocks):
        if block.kind in TABLE_PARTS:
            continue
        if block.kind == "table":
            yield "table", table_markdown(text, blocks[at + 1 :])
            continue
        words = _unwrap(text[block.start : block.end])
        if block.kind == "heading":
            words = f"{'#' * max(block.level, 1)} {words}"
        elif block.kind == "item":
            words = _list_item(words)
        yield block.kind, words


def _unwrap(words: str) -> str:
    return _SPACE.sub(" ", _LINE_END_HYPHEN.sub("", words)).strip()


def _list_item(words: str) -> str:
    return _BULLET.sub("- ", words, count=1) if _BULLET.match(words) else f"- {words}"


def table_markdown(text: str, following: Sequence[Block]) -> str:
    """Return a Markdown table of the row and cell blocks at the start of `following`."""
    rows = [{column: " ".join(cell) for column, cell in row.items()} for row in _rows(text, following)]
    width = 1 + max((column for row in rows for column in row), default=0)
    lines = [" | ".join(row.get(column, "") for column in range(width)) for row in rows]
    lines.insert(1, " | ".join(["---"] * width))
    return "\n".join(f"| {line} |" for line in lines)


def _rows(text: str, following: Sequence[Block]) -> list[dict[int, list[str]]]:
    rows: list[dict[int, list[str]]] = []
    for block in following:
        if block.kind == "row":
            rows.append({})
        elif block.kind == "cell" and rows:
            words = _unwrap(text[block.start : block.end]).replace("|", "\\|")
            rows[-1].setdefault(block.level, []).append(words)
        else:
            break
    return rows
