"""Word documents (DOCX): body, notes, comments, headers and footers as Markdown; images are skipped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText
from docyard.readers import markdown, xml_tree
from docyard.readers.markup import html_blocks
from docyard.readers.markup.html_page import decode_html
from docyard.readers.office import charts, package, symbols
from docyard.readers.office.docx_styles import Styles, load_styles
from docyard.readers.office.package import Package
from docyard.readers.xml_tree import Element, attribute, child, child_elements, child_value, local_name

# Deleted text, phonetic guides, field codes, properties, and fallbacks that repeat other content.
_SKIPPED = frozenset(("del", "moveFrom", "rPr", "pPr", "rt", "instrText", "delText", "Fallback", "sdtPr", "tblPr"))
_CHARACTERS = {"tab": "\t", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}
_FORMULA = "oMath"
_NOTE_PREFIXES = {"footnoteReference": "", "endnoteReference": "e", "commentReference": "c"}
_FALSE_VALUES = ("0", "false", "off")
_COMMENT_REFERENCE = re.compile(r"\[\^c\d*\]")


@dataclass(frozen=True, slots=True)
class _Reader:
    package: Package
    part: str
    styles: Styles
    relations: dict[str, tuple[str, str]]


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return the document as Markdown, with the title from its properties."""
    with package.open_package(path, limits) as ooxml:
        part = package.find_main_part(ooxml, "word/document.xml")
        reader = _Reader(ooxml, part, load_styles(ooxml, part), ooxml.read_relationships(part))
        return markdown.build_extracted(_all_blocks(reader), limits, title=ooxml.read_title())


def _all_blocks(reader: _Reader) -> Iterator[str]:
    with reader.package.open_part(reader.part) as stream:
        for element in xml_tree.iter_children(stream, "body"):
            yield from _blocks(reader, element, 0)
    yield from _notes(reader, "footnotes")
    yield from _notes(reader, "endnotes")
    yield from _comments(reader)
    yield from _headers_and_footers(reader)


def _blocks(reader: _Reader, element: Element, depth: int) -> Iterator[str]:
    """Yield the blocks of a block-level element."""
    xml_tree.check_depth(depth)
    kind = local_name(element)
    if kind in _SKIPPED:
        return
    if kind == "p":
        yield from _paragraph(reader, element, depth)
    elif kind == "tbl":
        yield from _table(reader, element, depth)
    elif kind == "altChunk":
        yield from _imported_html(reader, element)
    else:  # a content control, a custom element, the preferred branch of an alternative
        for each in element:
            yield from _blocks(reader, each, depth + 1)


def _paragraph(reader: _Reader, element: Element, depth: int) -> Iterator[str]:
    runs: list[str] = []
    boxes: list[Element] = []
    _collect_text(element, runs, boxes)
    text = "".join(runs).strip()
    if text:
        role = reader.styles.find_role(child(element, "pPr"))
        if role.heading:
            # References to comments must not appear in titles and section paths taken from a heading.
            yield markdown.heading(role.heading, _COMMENT_REFERENCE.sub("", text))
        elif role.depth is not None:
            yield markdown.list_item(text, min(role.depth, 8), role.number)
        else:
            yield text
    for box in boxes:
        if local_name(box) in charts.REFERENCES:
            yield from charts.blocks(reader.package.parse_part(charts.find_target(box, reader.relations)))
        for each in box:
            yield from _blocks(reader, each, depth + 1)


def _collect_text(element: Element, runs: list[str], boxes: list[Element]) -> None:
    """Append the paragraph's text to `runs` in reading order, and its text boxes and charts to `boxes`."""
    stack = [*reversed(element)]
    while stack:
        each = stack.pop()
        kind = local_name(each)
        if (text := _element_text(each, kind)) is not None:
            runs.append(text)
        elif kind == "txbxContent" or kind in charts.REFERENCES:
            boxes.append(each)
        elif kind not in _SKIPPED and not (kind == "r" and _is_hidden(each)):
            runs.append(" " if kind == _FORMULA else "")
            stack.extend(reversed(each))


def _element_text(each: Element, kind: str) -> str | None:
    """Return the text that an element represents; None for an element that only contains others."""
    if kind == "t":
        return each.text or ""
    if kind == "br":
        return "\n" if attribute(each, "type") in (None, "textWrapping") else " "
    if kind in _NOTE_PREFIXES:
        return f"[^{_NOTE_PREFIXES[kind]}{attribute(each, 'id') or ''}]"
    return _TEXT_GETTERS[kind](each) if kind in _TEXT_GETTERS else _CHARACTERS.get(kind)


def _checkbox_text(box: Element) -> str:
    """Return a checkbox of a form as ☒ or ☐, according to its state, or else its default."""
    checked = child(box, "checked")
    is_checked = (
        child_value(box, "default") == "1" if checked is None else attribute(checked, "val") not in _FALSE_VALUES
    )
    return "☒" if is_checked else "☐"


def _dropdown_text(choices: Element) -> str:
    """Return the selected entry of a drop-down list in a form, or else its default or first entry."""
    number = child_value(choices, "result") or child_value(choices, "default") or "0"
    entries = [attribute(each, "val") or "" for each in choices if local_name(each) == "listEntry"]
    is_valid = number.isascii() and number.isdecimal() and len(number) < 5 and int(number) < len(entries)
    return entries[int(number)] if is_valid else ""


# Elements that represent text: symbols, form fields and WordArt.
_TEXT_GETTERS: dict[str, Callable[[Element], str]] = {
    "sym": lambda each: symbols.decode_symbol(attribute(each, "font"), attribute(each, "char")),
    "checkBox": _checkbox_text,
    "ddList": _dropdown_text,
    "textpath": lambda each: attribute(each, "string") or "",
}


def _is_hidden(run: Element) -> bool:
    vanish = child(child(run, "rPr"), "vanish")
    return vanish is not None and attribute(vanish, "val") not in _FALSE_VALUES


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
    """Return the cells of a row; None marks a position that a merged cell covers."""
    cells: list[Element | None] = []
    for cell in _find(row, "tc"):
        properties = child(cell, "tcPr")
        merged = child(properties, "vMerge")
        is_continued = merged is not None and attribute(merged, "val") != "restart"
        cells.append(None if is_continued else cell)
        span = child_value(properties, "gridSpan") or "1"
        cells.extend([None] * (min(int(span), 100) - 1 if span.isascii() and span.isdecimal() else 0))
    return cells


def _find(element: Element, name: str) -> Iterator[Element]:
    """Yield the rows of a table or the cells of a row, including those in content controls."""
    for each in element:
        if local_name(each) == name:
            yield each
        elif local_name(each) in ("sdt", "sdtContent", "customXml", "ins"):
            yield from _find(each, name)


def _cell_text(reader: _Reader, cell: Element | None, depth: int) -> str:
    if cell is None:
        return ""
    return " ".join(block for each in cell for block in _cell_blocks(reader, each, depth + 1))


def _cell_blocks(reader: _Reader, element: Element, depth: int) -> Iterator[str]:
    """Yield the blocks of a cell; a nested table becomes one line, since Markdown cannot nest tables."""
    xml_tree.check_depth(depth)
    if local_name(element) != "tbl":
        yield from _blocks(reader, element, depth)
        return
    rows = ([_cell_text(reader, cell, depth + 1) for cell in _cells(row)] for row in _find(element, "tr"))
    yield "; ".join(filter(None, (" ".join(filter(None, row)) for row in rows)))


def _notes(reader: _Reader, kind: str) -> Iterator[str]:
    """Yield the footnotes or endnotes in Markdown notation; skip separators, which have a type."""
    prefix = _NOTE_PREFIXES[kind.removesuffix("s") + "Reference"]
    for part in reader.package.find_related(reader.part, kind):
        for note in child_elements(reader.package.parse_part(part)):
            if attribute(note, "type") in (None, "normal"):
                blocks = [block for each in note for block in _blocks(reader, each, 0)]
                if blocks:
                    yield f"[^{prefix}{attribute(note, 'id') or ''}]: {' '.join(blocks)}"


def _comments(reader: _Reader) -> Iterator[str]:
    """Yield the comments as notes that name the author and the date."""
    for part in reader.package.find_related(reader.part, "comments"):
        for comment in child_elements(reader.package.parse_part(part)):
            blocks = [block for each in comment for block in _blocks(reader, each, 0)]
            if blocks:
                label = markdown.comment_label(attribute(comment, "author") or "", attribute(comment, "date") or "")
                yield f"[^c{attribute(comment, 'id') or ''}]: {label}: {' '.join(blocks)}"


def _headers_and_footers(reader: _Reader) -> Iterator[str]:
    """Yield each header and footer text once, except page numbers.

    Headers and footers are read because some reference numbers occur only in them.
    """
    seen: set[str] = set()
    for kind in ("header", "footer"):
        for part in reader.package.find_related(reader.part, kind):
            for element in child_elements(reader.package.parse_part(part)):
                new_blocks = [block for block in _blocks(reader, element, 0) if block not in seen]
                seen.update(new_blocks)
                yield from (block for block in new_blocks if not block.strip().isdecimal())


def _imported_html(reader: _Reader, element: Element) -> Iterator[str]:
    """Yield the blocks of an imported document (altChunk); only HTML is read."""
    _, target = reader.relations.get(attribute(element, "id") or "", ("", ""))
    data = reader.package.read_part(target) if target.endswith((".html", ".htm", ".xhtml")) else None
    if data:
        yield from html_blocks.parse_html(decode_html(data))[0]
