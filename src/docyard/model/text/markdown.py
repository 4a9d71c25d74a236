"""A page as Markdown: what its blocks are becomes headings, lists and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from docyard.model.text.blocks import INSIDE_TABLES, Block, unpack_blocks
from docyard.model.text.pages import Page

_SPACE = re.compile(r"\s+")
_SOFT_HYPHEN = re.compile(r"(?<=[^\W\d_])-\n(?=[^\W\d_])")  # a word cut at the end of a line
_MARK = re.compile(r"[•‣▪●○◦■–—*·\uf0b7-]\s+")
_NUMBERING = re.compile(r"\d+|\b(?:page|of|seite|von|pagina|di|página|de|sur)\b")
_AT_EDGES = ("header", "footer")


def page_markdown(page: Page, told: set[str] | None = None) -> str:
    """The page as Markdown; one without blocks is its text as it is.

    What stands at its edges is left out, unless it is said what was `told` of that before, to which it adds.
    """
    blocks = list(unpack_blocks(page.blocks))
    if not blocks:
        return page.text.strip()
    fresh = [block for block in blocks if block.kind not in _AT_EDGES or _is_news(page.text, block, told)]
    return "".join(_joined(list(_parts(page.text, fresh)))).strip()


def document_markdown(pages: Iterable[Page]) -> str:
    """All pages, one after the other; headers and footers once: a reference number may stand nowhere else."""
    told: set[str] = set()
    return "\n\n".join(filter(None, (page_markdown(page, told) for page in pages))) + "\n"


def _is_news(text: str, block: Block, told: set[str] | None) -> bool:
    """Whether a header or footer says more than the page's number, and was not told already."""
    if told is None:
        return False
    words = _NUMBERING.sub(" ", _flowing(text[block.start : block.end]).casefold())
    key = " ".join(words.split())
    fresh = sum(map(str.isalpha, key)) > 2 and key not in told
    told.add(key)
    return fresh


def _joined(parts: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Items of a list stay together; everything else has a blank line between."""
    before = ""
    for kind, words in parts:
        yield "\n" if kind == before == "item" else "\n\n"
        yield words
        before = kind


def _parts(text: str, blocks: Sequence[Block]) -> Iterator[tuple[str, str]]:
    for at, block in enumerate(blocks):
        if block.kind in INSIDE_TABLES:
            continue
        if block.kind == "table":
            yield "table", table_markdown(text, blocks[at + 1 :])
            continue
        words = _flowing(text[block.start : block.end])
        if block.kind == "heading":
            words = f"{'#' * max(block.level, 1)} {words}"
        elif block.kind == "item":
            words = _as_item(words)
        yield block.kind, words


def _flowing(words: str) -> str:
    return _SPACE.sub(" ", _SOFT_HYPHEN.sub("", words)).strip()


def _as_item(words: str) -> str:
    return _MARK.sub("- ", words, count=1) if _MARK.match(words) else f"- {words}"


def table_markdown(text: str, following: Sequence[Block]) -> str:
    """The rows and cells that follow a table's block, as a Markdown table."""
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
            words = _flowing(text[block.start : block.end]).replace("|", "\\|")
            rows[-1].setdefault(block.level, []).append(words)
        else:
            break
    return rows
