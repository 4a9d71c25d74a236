"""EPUB books: the chapters in reading order, each on a new page."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText
from docyard.readers import markdown, xml_tree, zip_archive
from docyard.readers.markup import html_blocks
from docyard.readers.markup.html_page import decode_html
from docyard.readers.xml_tree import Element, attribute, child, child_elements, local_name

_CHAPTER_EXTENSIONS = (".xhtml", ".html", ".htm", ".xml")


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return the chapters in the order of the book's spine, with the book's title."""
    with zip_archive.open_archive(path, limits) as zipped:
        name = _find_package_document(zipped, limits)
        _reject_encrypted(zipped, limits)
        book = xml_tree.parse(zip_archive.read_member(zipped, name, limits))
        title = next(
            (each.text for each in child_elements(child(book, "metadata")) if local_name(each) == "title"), None
        )
        return markdown.build_extracted(_chapters(zipped, name, book, limits), limits, title=title)


def _find_package_document(zipped: zipfile.ZipFile, limits: Limits) -> str:
    container = zip_archive.read_optional_member(zipped, "META-INF/container.xml", limits)
    for element in xml_tree.parse(container).iter() if container else ():
        path = attribute(element, "full-path")
        if path in zipped.NameToInfo:
            return str(path)
    raise Reject("corrupt", "The book is damaged: its package document is missing.")


def _reject_encrypted(zipped: zipfile.ZipFile, limits: Limits) -> None:
    """Raise Reject if chapters are encrypted (DRM). Encrypted fonts are common and do not matter."""
    listed = zip_archive.read_optional_member(zipped, "META-INF/encryption.xml", limits)
    names = (attribute(each, "URI") or "" for each in xml_tree.parse(listed).iter()) if listed else ()
    if any(name.lower().endswith(_CHAPTER_EXTENSIONS) for name in names):
        raise Reject("encrypted", "The book is encrypted by its seller and cannot be read.")


def _chapters(zipped: zipfile.ZipFile, name: str, book: Element, limits: Limits) -> Iterator[str]:
    hrefs = {attribute(each, "id"): attribute(each, "href") or "" for each in child_elements(child(book, "manifest"))}
    for entry in child_elements(child(book, "spine")):
        href = hrefs.get(attribute(entry, "idref"), "")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(href)))
        data = zip_archive.read_optional_member(zipped, target, limits)
        if data:
            yield markdown.NEW_PAGE
            yield from html_blocks.parse_html(decode_html(data))[0]
