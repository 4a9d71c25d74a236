"""Content of a sheet outside its cells: comments, text boxes, chart titles."""

from __future__ import annotations

from collections.abc import Iterator

from docyard.errors import Reject
from docyard.model.limits import MEGABYTE
from docyard.readers import markdown, zip_archive
from docyard.readers.office import charts, package
from docyard.readers.office.package import Package
from docyard.readers.xml_tree import Element, attribute, child, child_elements, local_name

_PLACEHOLDER = "[Threaded comment]"  # written by newer versions of Excel for older ones
_MAX_PART_BYTES = 32 * MEGABYTE
_WORKBOOK_PART = "xl/workbook.xml"
_SHAPES = ("sp", "graphicFrame")
EXTRAS_NOT_READ = "Comments and text boxes on the sheets could not be read."


def find_sheet_parts(opened: Package) -> dict[str, str]:
    """Return the part of each sheet by sheet name; empty for binary workbooks."""
    main = package.find_main_part(opened, _WORKBOOK_PART)
    if not main.endswith(".xml"):
        return {}
    relations = opened.read_relationships(main)
    parts: dict[str, str] = {}
    for sheet in child_elements(child(_parse_part(opened, main), "sheets")):
        ids = [value for key, value in sheet.attrib.items() if key.endswith("}id")]
        parts[attribute(sheet, "name") or ""] = relations.get(ids[0] if ids else "", ("", ""))[1]
    return parts


def read_sheet_extras(opened: Package, parts: dict[str, str]) -> dict[str, list[str]]:
    """Return the text boxes, chart titles and comments of each sheet by sheet name."""
    main = package.find_main_part(opened, _WORKBOOK_PART)
    people = {
        attribute(each, "id") or "": attribute(each, "displayName") or ""
        for part in opened.find_related(main, "person")
        for each in child_elements(_parse_part(opened, part))
    }
    return {name: list(_read_blocks(opened, part, people)) for name, part in parts.items() if part}


def _read_blocks(opened: Package, part: str, people: dict[str, str]) -> Iterator[str]:
    related = list(opened.read_relationships(part).values())
    for target in (target for kind, target in related if kind == "drawing"):
        yield from _read_drawing(opened, target)
    for target in (target for kind, target in related if kind == "comments"):
        yield from _read_comments(_parse_part(opened, target))
    for target in (target for kind, target in related if kind == "threadedComment"):
        for each in child_elements(_parse_part(opened, target)):
            author = people.get(attribute(each, "personId") or "", "")
            yield from _format_comment(each, author, attribute(each, "dT") or "")


def _read_comments(root: Element | None) -> Iterator[str]:
    authors = [each.text or "" for each in child_elements(child(root, "authors"))]
    for each in child_elements(child(root, "commentList")):
        number = attribute(each, "authorId") or ""
        valid = number.isascii() and number.isdecimal() and len(number) < 6 and int(number) < len(authors)
        yield from _format_comment(each, authors[int(number)] if valid else "", "")


def _format_comment(comment: Element, author: str, date: str) -> Iterator[str]:
    texts = [each.text or "" for each in comment.iter() if local_name(each) in ("t", "text")]
    text = markdown.collapse_whitespace("".join(texts))
    if text and not text.startswith(_PLACEHOLDER):
        yield f"{attribute(comment, 'ref') or ''} {markdown.comment_label(author, date)}: {text}".strip()


def _read_drawing(opened: Package, part: str) -> Iterator[str]:
    relations = opened.read_relationships(part)
    for shape in (each for each in _iter_elements(_parse_part(opened, part)) if local_name(each) in _SHAPES):
        for each in shape.iter():
            if local_name(each) == "p":
                yield "".join(text_run.text or "" for text_run in each.iter() if local_name(text_run) == "t")
            elif local_name(each) == "chart":
                yield from charts.titles(_parse_part(opened, charts.find_target(each, relations)))


def _parse_part(opened: Package, part: str) -> Element | None:
    """Return the root of a part; raise Reject if the part is implausibly large."""
    if part in opened.zip.NameToInfo and opened.zip.NameToInfo[part].file_size > _MAX_PART_BYTES:
        raise Reject("validation", EXTRAS_NOT_READ)
    return opened.parse_part(part)


def _iter_elements(root: Element | None) -> Iterator[Element]:
    return iter(()) if root is None else root.iter()


def read(opened: Package, parts: dict[str, str]) -> tuple[dict[str, list[str]], list[str]]:
    """Return the content outside the cells by sheet name, and a note if it could not be read."""
    try:
        return read_sheet_extras(opened, parts), []
    except (Reject, *zip_archive.ARCHIVE_ERRORS):
        return {}, [EXTRAS_NOT_READ]
