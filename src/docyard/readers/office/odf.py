"""OpenDocument texts and presentations: their content as Markdown, a page for each slide."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.values import Extracted
from docyard.readers import markdown, xml_tree, zip_container
from docyard.readers.xml_tree import Element, attribute, child, inside, local

_SKIPPED_WORDS = """
    tracked-changes sequence-decls variable-decls forms annotation-end user-field-decls
    ruby-text settings event-listeners title desc
"""
_SKIPPED = frozenset(_SKIPPED_WORDS.split())
_LISTS = ("list", "list-header")
_EDGES = tuple(f"{edge}{page}" for edge in ("header", "footer") for page in ("", "-left", "-first"))
_MOST_REPEATED = 200  # cells may be repeated to the edge of the sheet


def read(path: Path, limits: Limits) -> Extracted:
    """The document as Markdown, under the title that its author gave it."""
    if not zipfile.is_zipfile(path):
        return _read_flat(path, limits)
    with zip_container.opened(path, limits) as zipped:
        _refuse_locked(zip_container.read_if_there(zipped, "META-INF/manifest.xml", limits))
        if "content.xml" not in zipped.NameToInfo:
            raise Reject("corrupt", "The file is damaged: the document inside is missing.")
        title = _title(zip_container.read_if_there(zipped, "meta.xml", limits))
        with zip_container.part(zipped, "content.xml", limits) as stream:
            xml_tree.refuse_dtd(stream)
        edges = _edges(zip_container.read_if_there(zipped, "styles.xml", limits))
        with zip_container.part(zipped, "content.xml", limits) as stream:
            return markdown.extracted(_body(stream, edges), limits, title=title)


def _read_flat(path: Path, limits: Limits) -> Extracted:
    """A document written as one file of XML."""
    if path.stat().st_size > limits.part_bytes:
        raise Reject("validation", "The file is larger than a document written as XML can be.")
    with path.open("rb") as stream:
        xml_tree.refuse_dtd(stream)
    with path.open("rb") as stream:
        return markdown.extracted(_body(stream, []), limits)


def _body(stream: BinaryIO, edges: list[str]) -> Iterator[str]:
    slides = False
    for element in xml_tree.children_of(stream, "body", below=1):
        slides = slides or local(element) == "page"
        yield from _page(element) if local(element) == "page" else _blocks(element, 0)
    yield from () if slides else edges


def _edges(styles: bytes | None) -> list[str]:
    """What stands above and below the pages of a text, once; a damaged part loses nothing else."""
    try:
        root = xml_tree.parse(styles) if styles else None
    except Reject:
        return []
    found = (
        block
        for page in inside(child(root, "master-styles"))
        for each in page
        if local(each) in _EDGES
        for inner in each
        for block in _blocks(inner, 0)
    )
    return list(dict.fromkeys(block for block in found if block and not block.strip().isdecimal()))


def _page(page: Element) -> Iterator[str]:
    """A slide: its title, what is on it, and its notes."""
    yield markdown.NEW_PAGE
    frames = [each for each in page if local(each) != "notes"]
    titles = [each for each in frames if attribute(each, "class") in ("title", "subtitle")]
    for each in titles[:1]:
        yield markdown.heading(2, _plain(each))
    for each in frames:
        if each not in titles[:1]:
            yield from _blocks(each, 0)
    for notes in (each for each in page if local(each) == "notes"):
        yield from _blocks(notes, 0)


def _blocks(element: Element, depth: int) -> Iterator[str]:
    xml_tree.refuse_depth(depth)
    kind = local(element)
    if kind in _SKIPPED:
        return
    if kind in ("p", "h"):
        yield from _paragraph(element, depth)
    elif kind == "annotation":
        yield _remark(element, depth)
    elif kind in _LISTS:
        yield from _list(element, 0, depth)
    elif kind == "table":
        rows = [_row(row, depth) for row in _rows(element)]
        yield markdown.table(rows) if any(map(any, rows)) else ""
    else:  # sections, indexes, frames, boxes, groups
        for each in element:
            yield from _blocks(each, depth + 1)


def _paragraph(element: Element, depth: int) -> Iterator[str]:
    boxes: list[Element] = []
    pieces: list[str] = []
    _collect(element, pieces, boxes)
    text = "".join(pieces).strip()
    if text and local(element) == "h":
        level = attribute(element, "outline-level") or "1"
        yield markdown.heading(int(level) if level.isascii() and level.isdecimal() else 1, text)
    elif text:
        yield text
    for box in boxes:
        for each in box:
            yield from _blocks(each, depth + 1)


def _collect(element: Element, pieces: list[str], boxes: list[Element]) -> None:
    """The text of a paragraph in order; spaces are collapsed as the format says."""
    waiting: list[Element | str] = [element]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            pieces.append(each)
            continue
        pieces.append(_sign(each) + (_collapsed(each.text)))
        for inner in reversed(each):
            waiting.append(_collapsed(inner.tail))
            if local(inner) in ("text-box", "table"):
                boxes.append(inner)
            elif local(inner) == "note":
                waiting.append(f" [{_note(inner)}]")
            elif local(inner) == "annotation":
                waiting.append(f" [{_remark(inner, 0)}]")
            elif local(inner) not in _SKIPPED:
                waiting.append(inner)


def _sign(element: Element) -> str:
    kind = local(element)
    if kind == "s":
        count = attribute(element, "c") or "1"
        return " " * min(int(count) if count.isascii() and count.isdecimal() else 1, 100)
    return {"tab": "\t", "line-break": "\n"}.get(kind, "")


def _collapsed(text: str | None) -> str:
    return " ".join(f".{text}.".split())[1:-1] if text else ""


def _note(note: Element) -> str:
    return " ".join(_plain(each) for each in note if local(each) == "note-body")


def _remark(remark: Element, depth: int) -> str:
    """What somebody remarked, and who and when."""
    texts = (each for each in remark if local(each) in ("p", "h", *_LISTS))
    words = markdown.one_line(" ".join(block for each in texts for block in _blocks(each, depth + 1)))
    told = {local(each): each.text or "" for each in remark}
    return f"{markdown.signed(told.get('creator', ''), told.get('date', ''))}: {words}" if words else ""


def _plain(element: Element) -> str:
    return markdown.one_line(" ".join(_blocks(element, 0)))


def _list(element: Element, level: int, depth: int) -> Iterator[str]:
    """The items of a list; a list inside an item is a level deeper."""
    xml_tree.refuse_depth(depth)
    for each in element:
        if local(each) not in ("list-item", "list-header"):
            continue
        for inner in each:
            if local(inner) in _LISTS:
                yield from _list(inner, level + 1, depth + 1)
            else:
                for block in _blocks(inner, depth + 1):
                    yield block if block.startswith("#") else markdown.item(block, min(level, 8))


def _rows(element: Element) -> Iterator[Element]:
    for each in element:
        if local(each) == "table-row":
            yield each
        elif local(each) in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _rows(each)


def _row(row: Element, depth: int) -> list[str]:
    cells: list[str] = []
    for each in row:
        if local(each) in ("table-cell", "covered-table-cell"):
            text = " ".join(block for inner in each for block in _cell_blocks(inner, depth + 1))
            repeated = attribute(each, "number-columns-repeated") or "1"
            times = int(repeated) if repeated.isascii() and repeated.isdecimal() else 1
            cells.extend([text] * min(times, _MOST_REPEATED))
    while cells and not cells[-1]:  # sheets go on with empty cells to their edge
        cells.pop()
    return cells


def _cell_blocks(element: Element, depth: int) -> Iterator[str]:
    """The blocks of a cell; a table in it is told row by row, because Markdown knows no tables in tables."""
    xml_tree.refuse_depth(depth)
    if local(element) != "table":
        yield from _blocks(element, depth)
        return
    rows = (_row(row, depth + 1) for row in _rows(element))
    yield "; ".join(filter(None, (" ".join(filter(None, row)) for row in rows)))


def _title(meta: bytes | None) -> str | None:
    found = xml_tree.descend(xml_tree.parse(meta), "meta", "title") if meta else None
    return None if found is None else found.text


def _refuse_locked(manifest: bytes | None) -> None:
    if manifest and b"encryption-data" in manifest:
        raise Reject("encrypted", "The file needs a password.")
