"""OpenDocument texts, presentations, drawings and flat XML files as Markdown; each slide is a page."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText
from docyard.readers import markdown, xml_tree, zip_archive
from docyard.readers.xml_tree import Element, attribute, child, child_elements, local_name

_SKIPPED_NAMES = """
    tracked-changes sequence-decls variable-decls forms annotation-end user-field-decls
    ruby-text settings event-listeners title desc
"""
_SKIPPED = frozenset(_SKIPPED_NAMES.split())
_LISTS = ("list", "list-header")
_HEADERS_AND_FOOTERS = tuple(f"{edge}{page}" for edge in ("header", "footer") for page in ("", "-left", "-first"))
_MAX_REPEATED = 200  # copies of a cell; an empty cell may be repeated up to the last column

_MAX_DIGITS = 9


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return the document as Markdown, with the title from its metadata."""
    if not zipfile.is_zipfile(path):
        return _read_flat(path, limits)
    with zip_archive.open_archive(path, limits) as zipped:
        zip_archive.reject_encrypted_manifest(zipped, limits)
        if "content.xml" not in zipped.NameToInfo:
            raise Reject("corrupt", "The file is damaged: its main document part is missing.")
        title = _read_title(zipped, limits)
        with zip_archive.open_member(zipped, "content.xml", limits) as stream:
            xml_tree.reject_dtd(stream)
        headers_and_footers = _headers_and_footers(zip_archive.read_optional_member(zipped, "styles.xml", limits))
        with zip_archive.open_member(zipped, "content.xml", limits) as stream:
            return markdown.build_extracted(_body(stream, headers_and_footers), limits, title=title)


def _read_flat(path: Path, limits: Limits) -> ExtractedText:
    """Read a document that is stored as a single XML file."""
    if path.stat().st_size > limits.part_bytes:
        raise Reject(
            "validation", "The flat OpenDocument file is too large. Save it as ODT, ODP or PDF and upload that file."
        )
    with path.open("rb") as stream:
        xml_tree.reject_dtd(stream)
    with path.open("rb") as stream:
        return markdown.build_extracted(_body(stream, []), limits)


def _body(stream: BinaryIO, headers_and_footers: list[str]) -> Iterator[str]:
    slides = False
    for element in xml_tree.iter_children(stream, "body", below=1):
        slides = slides or local_name(element) == "page"
        yield from _slide_blocks(element) if local_name(element) == "page" else _blocks(element, 0)
    yield from () if slides else headers_and_footers


def _headers_and_footers(styles: bytes | None) -> list[str]:
    """Return each header and footer text once, except page numbers; empty if the styles are damaged."""
    try:
        root = xml_tree.parse(styles) if styles else None
    except Reject:
        return []
    found = (
        block
        for page in child_elements(child(root, "master-styles"))
        for each in page
        if local_name(each) in _HEADERS_AND_FOOTERS
        for inner in each
        for block in _blocks(inner, 0)
    )
    return list(dict.fromkeys(block for block in found if block and not block.strip().isdecimal()))


def _slide_blocks(slide: Element) -> Iterator[str]:
    """Yield the title, the content and the notes of a slide."""
    yield markdown.NEW_PAGE
    frames = [each for each in slide if local_name(each) != "notes"]
    titles = [each for each in frames if attribute(each, "class") in ("title", "subtitle")]
    for each in titles[:1]:
        yield markdown.heading(2, _plain_text(each))
    for each in frames:
        if each not in titles[:1]:
            yield from _blocks(each, 0)
    for notes in (each for each in slide if local_name(each) == "notes"):
        yield from _blocks(notes, 0)


def _blocks(element: Element, depth: int) -> Iterator[str]:
    xml_tree.check_depth(depth)
    kind = local_name(element)
    if kind in _SKIPPED:
        return
    if kind in ("p", "h"):
        yield from _paragraph(element, depth)
    elif kind == "annotation":
        yield _comment_text(element, depth)
    elif kind in _LISTS:
        yield from _list_blocks(element, 0, depth)
    elif kind == "table":
        rows = [_row(row, depth) for row in _rows(element)]
        yield markdown.table(rows) if any(map(any, rows)) else ""
    else:  # sections, indexes, frames, text boxes, groups
        for each in element:
            yield from _blocks(each, depth + 1)


def _paragraph(element: Element, depth: int) -> Iterator[str]:
    boxes: list[Element] = []
    runs: list[str] = []
    _collect_text(element, runs, boxes)
    text = "".join(runs).strip()
    if text and local_name(element) == "h":
        yield markdown.heading(_read_count(element, "outline-level"), text)
    elif text:
        yield text
    for box in boxes:
        for each in box:
            yield from _blocks(each, depth + 1)


def _collect_text(element: Element, runs: list[str], boxes: list[Element]) -> None:
    """Append the paragraph's text to `runs`, with spaces collapsed, and its boxes and tables to `boxes`."""
    stack: list[Element | str] = [element]
    while stack:
        each = stack.pop()
        if isinstance(each, str):
            runs.append(each)
            continue
        if each is not element and local_name(each) in ("text-box", "table"):
            boxes.append(each)
            continue
        runs.append(_whitespace(each) + (_collapse_spaces(each.text)))
        for inner in reversed(each):
            stack.append(_collapse_spaces(inner.tail))
            if local_name(inner) == "note":
                stack.append(f" [{_note_text(inner)}]")
            elif local_name(inner) == "annotation":
                stack.append(f" [{_comment_text(inner, 0)}]")
            elif local_name(inner) not in _SKIPPED:
                stack.append(inner)


def _read_count(element: Element, name: str) -> int:
    """Return the number in an attribute; 1 if it is missing, invalid or too long to be meant."""
    digits = attribute(element, name) or ""
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_DIGITS else 1


def _whitespace(element: Element) -> str:
    kind = local_name(element)
    if kind == "s":
        return " " * min(_read_count(element, "c"), 100)
    return {"tab": "\t", "line-break": "\n"}.get(kind, "")


def _collapse_spaces(text: str | None) -> str:
    return " ".join(f".{text}.".split())[1:-1] if text else ""


def _note_text(note: Element) -> str:
    return " ".join(_plain_text(each) for each in note if local_name(each) == "note-body")


def _comment_text(comment: Element, depth: int) -> str:
    """Return a comment with its author and date; an empty string if it has no text."""
    texts = (each for each in comment if local_name(each) in ("p", "h", *_LISTS))
    text = markdown.collapse_whitespace(" ".join(block for each in texts for block in _blocks(each, depth + 1)))
    fields = {local_name(each): each.text or "" for each in comment}
    return f"{markdown.comment_label(fields.get('creator', ''), fields.get('date', ''))}: {text}" if text else ""


def _plain_text(element: Element) -> str:
    return markdown.collapse_whitespace(" ".join(_blocks(element, 0)))


def _list_blocks(element: Element, level: int, depth: int) -> Iterator[str]:
    """Yield the items of a list; a list inside an item is one level deeper."""
    xml_tree.check_depth(depth)
    for each in element:
        if local_name(each) not in ("list-item", "list-header"):
            continue
        for inner in each:
            if local_name(inner) in _LISTS:
                yield from _list_blocks(inner, level + 1, depth + 1)
            else:
                for block in _blocks(inner, depth + 1):
                    yield block if block.startswith("#") else markdown.list_item(block, min(level, 8))


def _rows(element: Element) -> Iterator[Element]:
    for each in element:
        if local_name(each) == "table-row":
            yield each
        elif local_name(each) in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _rows(each)


def _row(row: Element, depth: int) -> list[str]:
    cells: list[str] = []
    for each in row:
        if local_name(each) in ("table-cell", "covered-table-cell"):
            text = " ".join(block for inner in each for block in _cell_blocks(inner, depth + 1))
            cells.extend([text] * min(_read_count(each, "number-columns-repeated"), _MAX_REPEATED))
    while cells and not cells[-1]:  # rows of a sheet end with empty cells up to the last column
        cells.pop()
    return cells


def _cell_blocks(element: Element, depth: int) -> Iterator[str]:
    """Yield the blocks of a cell; a nested table becomes one line, since Markdown cannot nest tables."""
    xml_tree.check_depth(depth)
    if local_name(element) != "table":
        yield from _blocks(element, depth)
        return
    rows = (_row(row, depth + 1) for row in _rows(element))
    yield "; ".join(filter(None, (" ".join(filter(None, row)) for row in rows)))


def _read_title(zipped: zipfile.ZipFile, limits: Limits) -> str | None:
    """Return the title from the metadata, or None; damaged metadata does not matter."""
    try:
        meta = zip_archive.read_optional_member(zipped, "meta.xml", limits)
        found = xml_tree.find_path(xml_tree.parse(meta), "meta", "title") if meta else None
    except zip_archive.ARCHIVE_ERRORS:
        return None
    except Reject as refusal:
        if refusal.category != "corrupt":
            raise
        return None
    return None if found is None else found.text
