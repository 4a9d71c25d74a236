"""HTML as Markdown blocks, from a walk over the parsed tree; nothing that the page refers to is loaded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from docyard.readers import markdown

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# Code, metadata, form controls and navigation, which are not part of the text.
_DROPPED_WORDS = """
    head script style noscript noframes template nav iframe object embed svg canvas audio video map select
    input textarea datalist dialog link meta title annotation annotation-xml
"""
_DROPPED = frozenset(_DROPPED_WORDS.split())
_BLOCKS_WORDS = """
    html body div p section article main header footer aside address figure figcaption form fieldset
    legend details summary center dl dt dd caption hr tr td th thead tbody tfoot hgroup
"""
_BLOCKS = frozenset(_BLOCKS_WORDS.split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.IGNORECASE)
_SPACES = re.compile(r"[^\S\v]+")
_AROUND_BREAK = re.compile(r" ?\v ?")
_NESTING = re.compile(r"<(/?)(?:div|blockquote|[uod]l|table|section|article|center|form)\b", re.IGNORECASE)
_TAG = re.compile(r"<[^>]{0,2000}>")
# Maximum number of open elements. Tags are removed from pages with more, because parsing time grows with the
# square of this number.
_MAX_OPEN = 2000
_MAX_DEPTH = 150  # of the tree; deeper elements are read as plain text
_MAX_COLUMNS = 400  # of a table; a few wide spans could exhaust the memory
_MAX_CELL = 2000  # characters; a table with a longer cell is treated as a layout table


@dataclass(frozen=True, slots=True)
class _Output:
    """Finished blocks, and the text of the current line."""

    blocks: list[str] = field(default_factory=list)
    line: list[str] = field(default_factory=list)

    def flush(self) -> None:
        """End the current paragraph."""
        text = _SPACES.sub(" ", "".join(self.line)).strip(" \v")
        self.line.clear()
        if text:
            self.blocks.append(_AROUND_BREAK.sub("\n", text))


def parse_html(html: str) -> tuple[list[str], str | None]:
    """Return the blocks of a page, and its title."""
    tree = _parse(html)
    if tree.root is None:
        return [], None
    title = tree.css_first("title")
    found = _read_blocks(tree.root, 0) or _alternative_texts(tree)
    return found, title.text() if title else None


def _parse(html: str) -> LexborHTMLParser:
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    try:
        return LexborHTMLParser(_limit_nesting(html))
    except SelectolaxError as error:  # any text is HTML, so only an allocation can fail
        raise MemoryError from error


def _alternative_texts(tree: LexborHTMLParser) -> list[str]:
    """Return the fallback texts of a page for browsers without scripts, frames or images."""
    found = [_TAG.sub(" ", node.text()) for node in tree.css("noscript, noframes")]
    found += [node.attributes.get("alt") or "" for node in tree.css("img[alt]")]
    return list(filter(None, map(markdown.collapse_whitespace, found)))


def find_texts(html: str, selector: str) -> list[tuple[str, str]]:
    """Return the tag and the text, on one line, of each element that matches a selector."""
    found = _parse(html).css(selector)
    return [(node.tag or "", markdown.collapse_whitespace(node.text(separator=" "))) for node in found]


def _limit_nesting(html: str) -> str:
    return _TAG.sub(" ", html) if _is_nested_too_deeply(html) else html


def _is_nested_too_deeply(html: str) -> bool:
    """Return whether more block elements are open at the same time than any real page has."""
    open_count = 0
    for found in _NESTING.finditer(html):
        open_count = max(0, open_count - 1) if found[1] else open_count + 1
        if open_count > _MAX_OPEN:
            return True
    return False


def _read_blocks(node: LexborNode, depth: int) -> list[str]:
    out = _Output()
    _walk(node, out, depth)
    out.flush()
    return out.blocks


def _walk(node: LexborNode, out: _Output, depth: int) -> None:
    for child in node.iter(include_text=True):
        tag = child.tag or ""
        if tag == "-text":
            out.line.append((child.text_content or "").replace("\v", " "))
        elif tag == "br":
            out.line.append("\v")
        elif tag in _DROPPED or tag.startswith("-") or _is_hidden(child):
            continue
        elif depth >= _MAX_DEPTH:
            out.line.append(f" {child.text_lexbor()} ")
        else:
            _add_element(child, tag, out, depth + 1)


def _add_element(node: LexborNode, tag: str, out: _Output, depth: int) -> None:
    """Add an element; inline content continues the current line, and a block element ends that line."""
    special = _special_blocks(node, tag, depth)
    if special is not None:
        out.flush()
        out.blocks.extend(special)
    elif tag in _BLOCKS:
        out.flush()
        _walk(node, out, depth)
        out.flush()
    else:
        _walk(node, out, depth)


def _special_blocks(node: LexborNode, tag: str, depth: int) -> list[str] | None:
    if tag in _HEADINGS:
        return [markdown.heading(_HEADINGS[tag], " ".join(_read_blocks(node, depth)))]
    if tag in ("ul", "ol", "menu", "dir"):
        return list(_list_items(node, depth, ordered=tag == "ol"))
    if tag == "table":
        return _table(node, depth)
    if tag == "blockquote":
        inner = markdown.join_blocks(_read_blocks(node, depth))
        return [("> " + inner.replace("\n", "\n> ")).replace("> \n", ">\n")] if inner else []
    return [_code_block(node)] if tag in ("pre", "listing", "xmp") else None


def _list_items(node: LexborNode, depth: int, *, ordered: bool) -> Iterator[str]:
    number = 0
    for child in node.iter():
        if child.tag in _DROPPED or _is_hidden(child):
            continue
        inner = _read_blocks(child, depth + 1)
        if inner and child.tag in ("ul", "ol"):  # a list directly inside a list
            yield from (markdown.list_item(block).replace("- - ", "  - ", 1) for block in inner)
        elif inner:
            number += 1
            yield markdown.list_item("\n".join(inner), 0, number if ordered else None)


def _code_block(node: LexborNode) -> str:
    text = node.text_lexbor().strip("\n").rstrip()
    return f"```\n{text}\n```" if text.strip() else ""


def _table(node: LexborNode, depth: int) -> list[str]:
    """Return a data table as a Markdown table, and a layout table as the blocks it contains."""
    open_spans: dict[int, int] = {}
    rows = [row for row in (_row_cells(each, depth, open_spans) for each in _rows(node)) if row]
    captions = [block for each in node.iter() if each.tag == "caption" for block in _read_blocks(each, depth)]
    if any(cell for row in rows for cell in row) and _is_data_table(node, rows):
        return [*captions, markdown.table([[" ".join(cell) for cell in row] for row in rows])]
    return [*captions, *(block for row in rows for cell in row for block in cell)]


def _is_data_table(node: LexborNode, rows: list[list[list[str]]]) -> bool:
    width = max(len(row) for row in rows)
    longest = max(sum(map(len, cell)) for row in rows for cell in row)
    is_innermost = len(node.css("table")) == 1  # the table itself also matches
    filled = sum(sum(map(bool, row)) > 1 for row in rows)  # rows with more than one filled cell
    return len(rows) > 1 and width > 1 and longest <= _MAX_CELL and is_innermost and filled * 2 >= len(rows)


def _rows(node: LexborNode) -> Iterator[LexborNode]:
    for child in node.iter():
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from (each for each in child.iter() if each.tag == "tr")


def _row_cells(node: LexborNode, depth: int, open_spans: dict[int, int]) -> list[list[str]]:
    """Return the cells of a row, with empty cells at spanned positions.

    `open_spans` maps each column to the number of further rows that a cell spans; it is updated.
    """
    cells: list[list[str]] = []
    for child in node.iter():
        if child.tag in ("td", "th") and not _is_hidden(child):
            _fill_spans(cells, open_spans)
            remaining = _span(child, "rowspan") - 1
            end = min(len(cells) + _span(child, "colspan"), _MAX_COLUMNS)
            open_spans.update((column, remaining) for column in range(len(cells), end))
            cells.append(_read_blocks(child, depth + 3) if depth < _MAX_DEPTH else [child.text_lexbor()])
            cells.extend([[]] * (end - len(cells)))
    _fill_spans(cells, open_spans)
    return cells


def _fill_spans(cells: list[list[str]], open_spans: dict[int, int]) -> None:
    while open_spans.get(len(cells), 0) > 0:
        open_spans[len(cells)] -= 1
        cells.append([])


def _span(node: LexborNode, name: str) -> int:
    value = (node.attributes.get(name) or "1")[:5]
    return min(int(value), 100) if value.isascii() and value.isdecimal() and int(value) > 0 else 1


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    if not attributes:
        return False
    return "hidden" in attributes or bool(_HIDDEN.search(attributes.get("style") or ""))
