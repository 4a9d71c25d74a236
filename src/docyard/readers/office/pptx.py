"""PowerPoint presentations (PPTX): a page for each slide, with title, lists, tables, charts and notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText
from docyard.readers import markdown, xml_tree
from docyard.readers.office import charts, package
from docyard.readers.office.package import Package
from docyard.readers.xml_tree import Element, attribute, child, child_elements, child_value, find_path, local_name

_TITLES = ("title", "ctrTitle")
_SKIPPED = ("dt", "ftr", "sldNum", "hdr", "sldImg")  # date, footer, slide number, header, slide image
_LIST_TYPES = ("body", "obj", None)


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return the slides in the order of the presentation, a page for each."""
    with package.open_package(path, limits) as ooxml:
        main = package.find_main_part(ooxml, "ppt/presentation.xml")
        return markdown.build_extracted(_all_blocks(ooxml, main), limits, title=ooxml.read_title())


def _all_blocks(ooxml: Package, main: str) -> Iterator[str]:
    relations = ooxml.read_relationships(main)
    authors = _authors(ooxml, main)
    for entry in child_elements(child(ooxml.parse_part(main), "sldIdLst")):
        # An entry has two ids; the one in a namespace is that of the relationship.
        ids = [value for key, value in entry.attrib.items() if key.endswith("}id")]
        _, part = relations.get(ids[0] if ids else "", ("", ""))
        slide = ooxml.parse_part(part)
        if slide is not None:
            yield markdown.NEW_PAGE
            yield from _slide_blocks(ooxml, part, slide)
            for comments in ooxml.find_related(part, "comments"):
                yield from _comments(ooxml.parse_part(comments), authors)


def _authors(ooxml: Package, main: str) -> dict[str, str]:
    """Return the names of comment authors by id."""
    parts = [part for kind in ("commentAuthors", "authors") for part in ooxml.find_related(main, kind)]
    authors = (each for part in parts for each in child_elements(ooxml.parse_part(part)))
    return {attribute(each, "id") or "": attribute(each, "name") or "" for each in authors}


def _comments(root: Element | None, authors: dict[str, str]) -> Iterator[str]:
    """Yield the comments on a slide and the replies to them, with author and date."""
    for each in () if root is None else root.iter():
        if local_name(each) in ("cm", "reply"):
            elements = (inner for body in each if local_name(body) in ("text", "txBody") for inner in body.iter())
            content = markdown.collapse_whitespace(
                " ".join(inner.text or "" for inner in elements if local_name(inner) in ("t", "text"))
            )
            date = attribute(each, "dt") or attribute(each, "created") or ""
            label = markdown.comment_label(authors.get(attribute(each, "authorId") or "", ""), date)
            yield f"{label}: {content}" if content else ""


def _slide_blocks(ooxml: Package, part: str, slide: Element) -> Iterator[str]:
    shapes = list(_shapes(find_path(slide, "cSld", "spTree"), 0))
    titles = [shape for shape in shapes if _placeholder_type(shape) in _TITLES]
    for shape in titles:
        yield markdown.heading(2, " ".join(_lines(shape)))
    relations = ooxml.read_relationships(part)
    for shape in shapes:
        if shape not in titles:
            yield from _shape_blocks(ooxml, shape, relations)
    for notes in (target for kind, target in relations.values() if kind == "notesSlide"):
        yield from _notes(ooxml.parse_part(notes))


def _shapes(tree: Element | None, depth: int) -> Iterator[Element]:
    """Yield the shapes of a slide, including those in groups and preferred branches of alternatives."""
    xml_tree.check_depth(depth)
    for each in child_elements(tree):
        if local_name(each) in ("grpSp", "AlternateContent", "Choice"):
            yield from _shapes(each, depth + 1)
        elif local_name(each) in ("sp", "graphicFrame", "cxnSp"):
            yield each


def _shape_blocks(ooxml: Package, shape: Element, relations: dict[str, tuple[str, str]]) -> Iterator[str]:
    kind = _placeholder_type(shape)
    if kind in _SKIPPED:
        return
    if local_name(shape) == "graphicFrame":
        yield from _frame_blocks(ooxml, shape, relations)
        return
    paragraphs = [(text, depth) for text, depth in _paragraphs(shape) if text]
    is_list = kind in _LIST_TYPES and _is_placeholder(shape) and len(paragraphs) > 1
    for text, depth in paragraphs:
        yield markdown.list_item(text, depth) if is_list or depth else text


def _frame_blocks(ooxml: Package, shape: Element, relations: dict[str, tuple[str, str]]) -> Iterator[str]:
    """Yield the table in a frame, or the chart or diagram that the frame refers to."""
    data = find_path(shape, "graphic", "graphicData")
    for each in child_elements(data):
        if local_name(each) == "tbl":
            rows = [
                [" ".join(_lines(cell)) for cell in row if local_name(cell) == "tc"]
                for row in each
                if local_name(row) == "tr"
            ]
            yield markdown.table(rows)
        elif local_name(each) in charts.REFERENCES:
            yield from charts.blocks(ooxml.parse_part(charts.find_target(each, relations)))


def _notes(root: Element | None) -> Iterator[str]:
    for shape in _shapes(find_path(root, "cSld", "spTree"), 0):
        if _placeholder_type(shape) == "body":
            lines = [text for text, _ in _paragraphs(shape) if text]
            yield "Notes: " + "\n".join(lines) if lines else ""


def _lines(element: Element) -> list[str]:
    return [text for text, _ in _paragraphs(element) if text]


def _paragraphs(element: Element) -> Iterator[tuple[str, int]]:
    """Yield the text and depth of each paragraph of a shape or cell."""
    for body in (each for each in element if local_name(each) == "txBody"):
        for paragraph in (each for each in body if local_name(each) == "p"):
            level = child_value(paragraph, "pPr", "lvl") or "0"
            yield _join_runs(paragraph), min(int(level), 8) if level.isascii() and level.isdecimal() else 0


def _join_runs(paragraph: Element) -> str:
    runs = []
    for each in paragraph.iter():
        if local_name(each) == "t":
            runs.append(each.text or "")
        elif local_name(each) == "br":
            runs.append("\n")
    return "".join(runs).strip()


def _is_placeholder(shape: Element) -> bool:
    return _find_placeholder(shape) is not None


def _placeholder_type(shape: Element) -> str | None:
    placeholder = _find_placeholder(shape)
    return None if placeholder is None else attribute(placeholder, "type")


def _find_placeholder(shape: Element) -> Element | None:
    for properties in shape:
        if local_name(properties).startswith("nv"):
            return find_path(properties, "nvPr", "ph")
    return None
