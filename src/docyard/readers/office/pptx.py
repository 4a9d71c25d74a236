"""PowerPoint presentations: a page for each slide, with its title, lists, tables, charts and notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docyard.model.limits import Limits
from docyard.model.values import Extracted
from docyard.readers import markdown, xml_tree
from docyard.readers.office import charts, package
from docyard.readers.office.package import Package
from docyard.readers.xml_tree import Element, attribute, child, descend, inside, local, value_of

_TITLES = ("title", "ctrTitle")
_LEFT_OUT = ("dt", "ftr", "sldNum", "hdr", "sldImg")  # date, footer and number stand on every slide
_LISTED = ("body", "obj", None)


def read(path: Path, limits: Limits) -> Extracted:
    """The slides in the order in which they are shown."""
    with package.opened(path, limits) as opened:
        main = package.main_part(opened, "ppt/presentation.xml")
        return markdown.extracted(_all_blocks(opened, main), limits, title=opened.title())


def _all_blocks(opened: Package, main: str) -> Iterator[str]:
    relations = opened.relations(main)
    authors = _authors(opened, main)
    for entry in inside(child(opened.tree(main), "sldIdLst")):
        # An entry has a number of its own beside the id of the relation.
        ids = [value for key, value in entry.attrib.items() if key.endswith("}id")]
        _, part = relations.get(ids[0] if ids else "", ("", ""))
        slide = opened.tree(part)
        if slide is not None:
            yield markdown.NEW_PAGE
            yield from _slide(opened, part, slide)
            for comments in opened.related(part, "comments"):
                yield from _comments(opened.tree(comments), authors)


def _authors(opened: Package, main: str) -> dict[str, str]:
    """Who may have made comments, by the numbers they go by."""
    parts = [part for kind in ("commentAuthors", "authors") for part in opened.related(main, kind)]
    people = (each for part in parts for each in inside(opened.tree(part)))
    return {attribute(each, "id") or "": attribute(each, "name") or "" for each in people}


def _comments(root: Element | None, authors: dict[str, str]) -> Iterator[str]:
    """What people remarked on a slide, and what others answered."""
    for each in () if root is None else root.iter():
        if local(each) in ("cm", "reply"):
            said = (
                inner for holder in each if local(holder) in ("text", "txBody") for inner in holder.iter()
            )
            words = markdown.one_line(
                " ".join(inner.text or "" for inner in said if local(inner) in ("t", "text"))
            )
            day = attribute(each, "dt") or attribute(each, "created") or ""
            by = markdown.signed(authors.get(attribute(each, "authorId") or "", ""), day)
            yield f"{by}: {words}" if words else ""


def _slide(opened: Package, part: str, slide: Element) -> Iterator[str]:
    shapes = list(_shapes(descend(slide, "cSld", "spTree"), 0))
    titles = [shape for shape in shapes if _placeholder(shape) in _TITLES]
    for shape in titles:
        yield markdown.heading(2, " ".join(_lines(shape)))
    relations = opened.relations(part)
    for shape in shapes:
        if shape not in titles:
            yield from _shape(opened, shape, relations)
    for notes in (target for kind, target in relations.values() if kind == "notesSlide"):
        yield from _notes(opened.tree(notes))


def _shapes(tree: Element | None, depth: int) -> Iterator[Element]:
    """The shapes of a slide, those in groups and the kept side of alternatives too."""
    xml_tree.refuse_depth(depth)
    for each in inside(tree):
        if local(each) in ("grpSp", "AlternateContent", "Choice"):
            yield from _shapes(each, depth + 1)
        elif local(each) in ("sp", "graphicFrame", "cxnSp"):
            yield each


def _shape(opened: Package, shape: Element, relations: dict[str, tuple[str, str]]) -> Iterator[str]:
    kind = _placeholder(shape)
    if kind in _LEFT_OUT:
        return
    if local(shape) == "graphicFrame":
        yield from _frame(opened, shape, relations)
        return
    paragraphs = [(text, depth) for text, depth in _paragraphs(shape) if text]
    listed = kind in _LISTED and _is_placeholder(shape) and len(paragraphs) > 1
    for text, depth in paragraphs:
        yield markdown.item(text, depth) if listed or depth else text


def _frame(opened: Package, shape: Element, relations: dict[str, tuple[str, str]]) -> Iterator[str]:
    """A table; or a chart or diagram, which is a part of its own."""
    data = descend(shape, "graphic", "graphicData")
    for each in inside(data):
        if local(each) == "tbl":
            rows = [
                [" ".join(_lines(cell)) for cell in row if local(cell) == "tc"]
                for row in each
                if local(row) == "tr"
            ]
            yield markdown.table(rows)
        elif local(each) in charts.REFERENCES:
            yield from charts.blocks(opened.tree(charts.target_of(each, relations)))


def _notes(root: Element | None) -> Iterator[str]:
    for shape in _shapes(descend(root, "cSld", "spTree"), 0):
        if _placeholder(shape) == "body":
            lines = [text for text, _ in _paragraphs(shape) if text]
            yield "Notes: " + "\n".join(lines) if lines else ""


def _lines(element: Element) -> list[str]:
    return [text for text, _ in _paragraphs(element) if text]


def _paragraphs(element: Element) -> Iterator[tuple[str, int]]:
    """Text and depth of each paragraph of a shape or cell."""
    for body in (each for each in element if local(each) == "txBody"):
        for paragraph in (each for each in body if local(each) == "p"):
            level = value_of(paragraph, "pPr", "lvl") or "0"
            yield _text(paragraph), min(int(level), 8) if level.isascii() and level.isdecimal() else 0


def _text(paragraph: Element) -> str:
    pieces = []
    for each in paragraph.iter():
        if local(each) == "t":
            pieces.append(each.text or "")
        elif local(each) == "br":
            pieces.append("\n")
    return "".join(pieces).strip()


def _is_placeholder(shape: Element) -> bool:
    return _ph(shape) is not None


def _placeholder(shape: Element) -> str | None:
    ph = _ph(shape)
    return None if ph is None else attribute(ph, "type")


def _ph(shape: Element) -> Element | None:
    for properties in shape:
        if local(properties).startswith("nv"):
            return descend(properties, "nvPr", "ph")
    return None
