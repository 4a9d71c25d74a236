"""Word documents: body, notes, comments, headers and footers as Markdown; no pictures, no macros."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from docyard.model.limits import Limits
from docyard.model.values import Extracted
from docyard.readers import markdown, xml_tree
from docyard.readers.markup import html_blocks
from docyard.readers.markup.html_page import decode_html
from docyard.readers.office import charts, package, symbols
from docyard.readers.office.docx_styles import Styles, styles_of
from docyard.readers.office.package import Package
from docyard.readers.xml_tree import Element, attribute, child, inside, local, value_of

# Struck out, phonetic help above the line, field codes, and the second telling of what was told already.
_SKIPPED = frozenset(
    ("del", "moveFrom", "rPr", "pPr", "rt", "instrText", "delText", "Fallback", "sdtPr", "tblPr")
)
_SIGNS = {"tab": "\t", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}
_FORMULA = "oMath"
_MARKS = {"footnoteReference": "", "endnoteReference": "e", "commentReference": "c"}
_NO = ("0", "false", "off")
_COMMENT_MARK = re.compile(r"\[\^c\d*\]")


@dataclass(frozen=True, slots=True)
class _Reader:
    package: Package
    part: str
    styles: Styles
    relations: dict[str, tuple[str, str]]


def read(path: Path, limits: Limits) -> Extracted:
    """The document as Markdown, under the title that its author gave it."""
    with package.opened(path, limits) as opened:
        part = package.main_part(opened, "word/document.xml")
        reader = _Reader(opened, part, styles_of(opened, part), opened.relations(part))
        return markdown.extracted(_all_blocks(reader), limits, title=opened.title())


def _all_blocks(reader: _Reader) -> Iterator[str]:
    with reader.package.stream(reader.part) as stream:
        for element in xml_tree.children_of(stream, "body"):
            yield from _blocks(reader, element, 0)
    yield from _notes(reader, "footnotes")
    yield from _notes(reader, "endnotes")
    yield from _comments(reader)
    yield from _edges(reader)


def _blocks(reader: _Reader, element: Element, depth: int) -> Iterator[str]:
    """The blocks of something that stands between paragraphs."""
    xml_tree.refuse_depth(depth)
    kind = local(element)
    if kind in _SKIPPED:
        return
    if kind == "p":
        yield from _paragraph(reader, element, depth)
    elif kind == "tbl":
        yield from _table(reader, element, depth)
    elif kind == "altChunk":
        yield from _foreign(reader, element)
    else:  # a content control, a custom element, the kept side of an alternative
        for each in element:
            yield from _blocks(reader, each, depth + 1)


def _paragraph(reader: _Reader, element: Element, depth: int) -> Iterator[str]:
    pieces: list[str] = []
    boxes: list[Element] = []
    _collect(element, pieces, boxes)
    text = "".join(pieces).strip()
    if text:
        place = reader.styles.place(child(element, "pPr"))
        if place.heading:
            # What people remark on a heading is no part of it, nor of the titles and paths made from it.
            yield markdown.heading(place.heading, _COMMENT_MARK.sub("", text))
        elif place.depth is not None:
            yield markdown.item(text, min(place.depth, 8), place.number)
        else:
            yield text
    for box in boxes:
        if local(box) in charts.REFERENCES:
            yield from charts.blocks(reader.package.tree(charts.target_of(box, reader.relations)))
        for each in box:
            yield from _blocks(reader, each, depth + 1)


def _collect(element: Element, pieces: list[str], boxes: list[Element]) -> None:
    """The text of a paragraph in reading order, and the boxes of text that hang on it."""
    waiting = [*reversed(element)]
    while waiting:
        each = waiting.pop()
        kind = local(each)
        if (said := _said(each, kind)) is not None:
            pieces.append(said)
        elif kind == "txbxContent" or kind in charts.REFERENCES:
            boxes.append(each)
        elif kind not in _SKIPPED and not (kind == "r" and _is_hidden(each)):
            pieces.append(" " if kind == _FORMULA else "")
            waiting.extend(reversed(each))


def _said(each: Element, kind: str) -> str | None:
    """What an element says by itself; None for one that only holds others."""
    if kind == "t":
        return each.text or ""
    if kind == "br":
        return "\n" if attribute(each, "type") in (None, "textWrapping") else " "
    if kind in _MARKS:
        return f"[^{_MARKS[kind]}{attribute(each, 'id') or ''}]"
    return _SPOKEN[kind](each) if kind in _SPOKEN else _SIGNS.get(kind)


def _ticked(box: Element) -> str:
    """The box of a form, as it is ticked, or as it is to begin with."""
    ticked = child(box, "checked")
    said = value_of(box, "default") == "1" if ticked is None else attribute(ticked, "val") not in _NO
    return "☒" if said else "☐"


def _chosen(choices: Element) -> str:
    """What is chosen in a list of a form; nothing said is the first."""
    number = value_of(choices, "result") or value_of(choices, "default") or "0"
    given = [attribute(each, "val") or "" for each in choices if local(each) == "listEntry"]
    known = number.isascii() and number.isdecimal() and len(number) < 5 and int(number) < len(given)
    return given[int(number)] if known else ""


# What stands in the text as a thing of its own: signs of fonts, parts of forms, letters drawn as a picture.
_SPOKEN: dict[str, Callable[[Element], str]] = {
    "sym": lambda each: symbols.letter(attribute(each, "font"), attribute(each, "char")),
    "checkBox": _ticked,
    "ddList": _chosen,
    "textpath": lambda each: attribute(each, "string") or "",
}


def _is_hidden(run: Element) -> bool:
    vanish = child(child(run, "rPr"), "vanish")
    return vanish is not None and attribute(vanish, "val") not in _NO


def _table(reader: _Reader, element: Element, depth: int) -> Iterator[str]:
    rows = [_cells(row) for row in _find(element, "tr")]
    rows = [row for row in rows if row]
    if len(rows) == 1 and len(rows[0]) == 1 and rows[0][0] is not None:  # a frame around paragraphs
        for each in rows[0][0]:
            yield from _blocks(reader, each, depth + 1)
        return
    texts = [[_cell_text(reader, cell, depth) for cell in row] for row in rows]
    if any(text for row in texts for text in row):
        yield markdown.table(texts)


def _cells(row: Element) -> list[Element | None]:
    """The cells of a row; None stands where one goes on from the left or from above."""
    cells: list[Element | None] = []
    for cell in _find(row, "tc"):
        properties = child(cell, "tcPr")
        merged = child(properties, "vMerge")
        goes_on = merged is not None and attribute(merged, "val") != "restart"
        cells.append(None if goes_on else cell)
        span = value_of(properties, "gridSpan") or "1"
        cells.extend([None] * (min(int(span), 100) - 1 if span.isascii() and span.isdecimal() else 0))
    return cells


def _find(element: Element, name: str) -> Iterator[Element]:
    """Rows of a table or cells of a row, also inside content controls."""
    for each in element:
        if local(each) == name:
            yield each
        elif local(each) in ("sdt", "sdtContent", "customXml", "ins"):
            yield from _find(each, name)


def _cell_text(reader: _Reader, cell: Element | None, depth: int) -> str:
    if cell is None:
        return ""
    return " ".join(block for each in cell for block in _cell_blocks(reader, each, depth + 1))


def _cell_blocks(reader: _Reader, element: Element, depth: int) -> Iterator[str]:
    """The blocks of a cell; a table in it is told row by row, because Markdown knows no tables in tables."""
    xml_tree.refuse_depth(depth)
    if local(element) != "tbl":
        yield from _blocks(reader, element, depth)
        return
    rows = ([_cell_text(reader, cell, depth + 1) for cell in _cells(row)] for row in _find(element, "tr"))
    yield "; ".join(filter(None, (" ".join(filter(None, row)) for row in rows)))


def _notes(reader: _Reader, kind: str) -> Iterator[str]:
    """Footnotes or endnotes, as Markdown writes them; separators have a type and are no notes."""
    mark = _MARKS[kind.removesuffix("s") + "Reference"]
    for part in reader.package.related(reader.part, kind):
        for note in inside(reader.package.tree(part)):
            if attribute(note, "type") in (None, "normal"):
                blocks = [block for each in note for block in _blocks(reader, each, 0)]
                if blocks:
                    yield f"[^{mark}{attribute(note, 'id') or ''}]: {' '.join(blocks)}"


def _comments(reader: _Reader) -> Iterator[str]:
    """What people remarked, as notes that say who it was and when."""
    for part in reader.package.related(reader.part, "comments"):
        for comment in inside(reader.package.tree(part)):
            blocks = [block for each in comment for block in _blocks(reader, each, 0)]
            if blocks:
                by = markdown.signed(attribute(comment, "author") or "", attribute(comment, "date") or "")
                yield f"[^c{attribute(comment, 'id') or ''}]: {by}: {' '.join(blocks)}"


def _edges(reader: _Reader) -> Iterator[str]:
    """What stands above and below the pages, once: a reference number may stand nowhere else."""
    told: set[str] = set()
    for kind in ("header", "footer"):
        for part in reader.package.related(reader.part, kind):
            for element in inside(reader.package.tree(part)):
                fresh = [block for block in _blocks(reader, element, 0) if block not in told]
                told.update(fresh)
                yield from (block for block in fresh if not block.strip().isdecimal())


def _foreign(reader: _Reader, element: Element) -> Iterator[str]:
    """A document in another format inside this one; HTML is read."""
    _, target = reader.relations.get(attribute(element, "id") or "", ("", ""))
    data = reader.package.data(target) if target.endswith((".html", ".htm", ".xhtml")) else None
    if data:
        yield from html_blocks.blocks(decode_html(data))[0]
