"""HTML to Markdown blocks by our own walk over the tree; nothing it refers to is ever loaded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from docyard.readers import markdown

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# Code, controls and ways around the site: not what the page says.
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
_MOST_OPEN = 2000  # the parser's time grows with the square of what is open at once
_DEEPEST = 150  # of the tree; what is below is taken as plain text, without structure
_WIDEST = 400  # columns into which cells may reach: a few of them could fill the memory
_LONGEST_CELL = 2000  # a cell with more text than that lays out a page, and is no part of a table


@dataclass(frozen=True, slots=True)
class _Out:
    """Blocks that are finished, and the pieces of the line that is not."""

    blocks: list[str] = field(default_factory=list)
    line: list[str] = field(default_factory=list)

    def flush(self) -> None:
        """End the paragraph."""
        text = _SPACES.sub(" ", "".join(self.line)).strip(" \v")
        self.line.clear()
        if text:
            self.blocks.append(_AROUND_BREAK.sub("\n", text))


def blocks(html: str) -> tuple[list[str], str | None]:
    """The blocks of a page, and its title."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(_disarmed(html))
    if tree.root is None:
        return [], None
    title = tree.css_first("title")
    found = _blocks_of(tree.root, 0) or _instead(tree)
    return found, title.text() if title else None


def _instead(tree: LexborHTMLParser) -> list[str]:
    """What a page without text says to those who see neither its pictures nor what scripts would draw."""
    told = [_TAG.sub(" ", node.text()) for node in tree.css("noscript, noframes")]
    told += [node.attributes.get("alt") or "" for node in tree.css("img[alt]")]
    return list(filter(None, map(markdown.one_line, told)))


def texts(html: str, selector: str) -> list[tuple[str, str]]:
    """Tag and text, on one line, of each element that fits."""
    from selectolax.lexbor import LexborHTMLParser

    found = LexborHTMLParser(_disarmed(html)).css(selector)
    return [(node.tag or "", markdown.one_line(node.text(separator=" "))) for node in found]


def _disarmed(html: str) -> str:
    return _TAG.sub(" ", html) if _is_a_trap(html) else html


def _is_a_trap(html: str) -> bool:
    """Whether far more elements are open at once than any page needs."""
    open_now = 0
    for found in _NESTING.finditer(html):
        open_now = max(0, open_now - 1) if found[1] else open_now + 1
        if open_now > _MOST_OPEN:
            return True
    return False


def _blocks_of(node: LexborNode, depth: int) -> list[str]:
    out = _Out()
    _walk(node, out, depth)
    out.flush()
    return out.blocks


def _walk(node: LexborNode, out: _Out, depth: int) -> None:
    for child in node.iter(include_text=True):
        tag = child.tag or ""
        if tag == "-text":
            out.line.append((child.text_content or "").replace("\v", " "))
        elif tag == "br":
            out.line.append("\v")
        elif tag in _DROPPED or tag.startswith("-") or _is_hidden(child):
            continue
        elif depth >= _DEEPEST:
            out.line.append(f" {child.text_lexbor()} ")
        else:
            _element(child, tag, out, depth + 1)


def _element(node: LexborNode, tag: str, out: _Out, depth: int) -> None:
    """An inline element goes on with the line; a block ends it and may have a form of its own."""
    special = _special(node, tag, depth)
    if special is not None:
        out.flush()
        out.blocks.extend(special)
    elif tag in _BLOCKS:
        out.flush()
        _walk(node, out, depth)
        out.flush()
    else:
        _walk(node, out, depth)


def _special(node: LexborNode, tag: str, depth: int) -> list[str] | None:
    if tag in _HEADINGS:
        return [markdown.heading(_HEADINGS[tag], " ".join(_blocks_of(node, depth)))]
    if tag in ("ul", "ol", "menu", "dir"):
        return list(_items(node, depth, ordered=tag == "ol"))
    if tag == "table":
        return _table(node, depth)
    if tag == "blockquote":
        inner = markdown.joined(_blocks_of(node, depth))
        return [("> " + inner.replace("\n", "\n> ")).replace("> \n", ">\n")] if inner else []
    return [_code(node)] if tag in ("pre", "listing", "xmp") else None


def _items(node: LexborNode, depth: int, *, ordered: bool) -> Iterator[str]:
    number = 0
    for child in node.iter():
        if child.tag in _DROPPED or _is_hidden(child):
            continue
        inner = _blocks_of(child, depth + 1)
        if inner and child.tag in ("ul", "ol"):  # a list in a list, without an item around it
            yield from (markdown.item(block).replace("- - ", "  - ", 1) for block in inner)
        elif inner:
            number += 1
            yield markdown.item("\n".join(inner), 0, number if ordered else None)


def _code(node: LexborNode) -> str:
    text = node.text_lexbor().strip("\n").rstrip()
    return f"```\n{text}\n```" if text.strip() else ""


def _table(node: LexborNode, depth: int) -> list[str]:
    """A table as one; one that only lays out the page as the blocks it arranges."""
    from_above: dict[int, int] = {}
    rows = [row for row in (_row(each, depth, from_above) for each in _rows(node)) if row]
    captions = [block for each in node.iter() if each.tag == "caption" for block in _blocks_of(each, depth)]
    if any(cell for row in rows for cell in row) and _is_data(node, rows):
        return [*captions, markdown.table([[" ".join(cell) for cell in row] for row in rows])]
    return [*captions, *(block for row in rows for cell in row for block in cell)]


def _is_data(node: LexborNode, rows: list[list[list[str]]]) -> bool:
    width = max(len(row) for row in rows)
    longest = max(sum(map(len, cell)) for row in rows for cell in row)
    alone = len(node.css("table")) == 1  # it finds the table itself too
    beside = sum(sum(map(bool, row)) > 1 for row in rows)  # rows that set one thing beside another
    return len(rows) > 1 and width > 1 and longest <= _LONGEST_CELL and alone and beside * 2 >= len(rows)


def _rows(node: LexborNode) -> Iterator[LexborNode]:
    for child in node.iter():
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from (each for each in child.iter() if each.tag == "tr")


def _row(node: LexborNode, depth: int, from_above: dict[int, int]) -> list[list[str]]:
    """The cells of a row, empty ones below those that go on; how far they go on is kept by column."""
    cells: list[list[str]] = []
    for child in node.iter():
        if child.tag in ("td", "th") and not _is_hidden(child):
            _go_on(cells, from_above)
            further = _span(child, "rowspan") - 1
            reach = min(len(cells) + _span(child, "colspan"), _WIDEST)
            from_above.update((column, further) for column in range(len(cells), reach))
            cells.append(_blocks_of(child, depth + 3) if depth < _DEEPEST else [child.text_lexbor()])
            cells.extend([[]] * (reach - len(cells)))
    _go_on(cells, from_above)
    return cells


def _go_on(cells: list[list[str]], from_above: dict[int, int]) -> None:
    while from_above.get(len(cells), 0) > 0:
        from_above[len(cells)] -= 1
        cells.append([])


def _span(node: LexborNode, name: str) -> int:
    given = (node.attributes.get(name) or "1")[:5]
    return min(int(given), 100) if given.isascii() and given.isdecimal() and int(given) > 0 else 1


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    if not attributes:
        return False
    return "hidden" in attributes or bool(_HIDDEN.search(attributes.get("style") or ""))
