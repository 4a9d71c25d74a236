"""What stands on a sheet beside its cells: comments, boxes of text, titles of charts."""

from __future__ import annotations

from collections.abc import Iterator

from docyard.errors import Reject
from docyard.model.limits import MEGABYTE
from docyard.readers import markdown, zip_container
from docyard.readers.office import charts, package
from docyard.readers.office.package import Package
from docyard.readers.xml_tree import Element, attribute, child, inside, local

_STAND_IN = "[Threaded comment]"  # what newer programs leave for older ones
_LARGEST = 32 * MEGABYTE
_MAIN = "xl/workbook.xml"
_SHAPES = ("sp", "graphicFrame")
NOT_READ = "Comments and boxes of text on the sheets could not be read."


def sheet_parts(opened: Package) -> dict[str, str]:
    """The part of each sheet, by the name people gave it; none for binary workbooks."""
    main = package.main_part(opened, _MAIN)
    if not main.endswith(".xml"):
        return {}
    relations = opened.relations(main)
    found: dict[str, str] = {}
    for sheet in inside(child(_tree(opened, main), "sheets")):
        ids = [value for key, value in sheet.attrib.items() if key.endswith("}id")]
        found[attribute(sheet, "name") or ""] = relations.get(ids[0] if ids else "", ("", ""))[1]
    return found


def beside_cells(opened: Package, parts: dict[str, str]) -> dict[str, list[str]]:
    """The blocks that belong to each sheet, by its name."""
    main = package.main_part(opened, _MAIN)
    people = {
        attribute(each, "id") or "": attribute(each, "displayName") or ""
        for part in opened.related(main, "person")
        for each in inside(_tree(opened, part))
    }
    return {name: list(_blocks(opened, part, people)) for name, part in parts.items() if part}


def _blocks(opened: Package, part: str, people: dict[str, str]) -> Iterator[str]:
    related = list(opened.relations(part).values())
    for target in (target for kind, target in related if kind == "drawing"):
        yield from _drawing(opened, target)
    for target in (target for kind, target in related if kind == "comments"):
        yield from _comments(_tree(opened, target))
    for target in (target for kind, target in related if kind == "threadedComment"):
        for each in inside(_tree(opened, target)):
            by = people.get(attribute(each, "personId") or "", "")
            yield from _comment(each, by, attribute(each, "dT") or "")


def _comments(root: Element | None) -> Iterator[str]:
    authors = [each.text or "" for each in inside(child(root, "authors"))]
    for each in inside(child(root, "commentList")):
        number = attribute(each, "authorId") or ""
        known = number.isascii() and number.isdecimal() and len(number) < 6 and int(number) < len(authors)
        yield from _comment(each, authors[int(number)] if known else "", "")


def _comment(comment: Element, author: str, day: str) -> Iterator[str]:
    texts = [each.text or "" for each in comment.iter() if local(each) in ("t", "text")]
    words = markdown.one_line("".join(texts))
    if words and not words.startswith(_STAND_IN):
        yield f"{attribute(comment, 'ref') or ''} {markdown.signed(author, day)}: {words}".strip()


def _drawing(opened: Package, part: str) -> Iterator[str]:
    relations = opened.relations(part)
    for shape in (each for each in _all(_tree(opened, part)) if local(each) in _SHAPES):
        for each in shape.iter():
            if local(each) == "p":
                yield "".join(piece.text or "" for piece in each.iter() if local(piece) == "t")
            elif local(each) == "chart":
                yield from charts.titles(_tree(opened, charts.target_of(each, relations)))


def _tree(opened: Package, part: str) -> Element | None:
    """The root of a part, which is no longer than people make them."""
    if part in opened.zip.NameToInfo and opened.zip.NameToInfo[part].file_size > _LARGEST:
        raise Reject("validation", NOT_READ)
    return opened.tree(part)


def _all(root: Element | None) -> Iterator[Element]:
    return iter(()) if root is None else root.iter()


def read(opened: Package, parts: dict[str, str]) -> tuple[dict[str, list[str]], list[str]]:
    """What is beside the cells, or a note where it is damaged: the cells do not depend on it."""
    try:
        return beside_cells(opened, parts), []
    except (Reject, *zip_container.DAMAGE):
        return {}, [NOT_READ]
