"""XML parsing without entity expansion or external access: documents with a DTD are rejected."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO
from xml.etree import ElementTree as ET
from xml.parsers import expat

from docyard.errors import Reject

Element = ET.Element
PARSE_ERRORS = (ET.ParseError, ValueError, LookupError)
_CHUNK_BYTES = 1 << 16
_MAX_DEPTH = 100


class _PrologEnd(Exception):
    """Raised when the prolog has been read."""


def reject_dtd(stream: BinaryIO) -> None:
    """Read the prolog and reject a DTD; entities cannot be declared anywhere else."""
    parser = expat.ParserCreate()

    def reject_doctype(*_: object) -> None:
        raise Reject("validation", "The file contains a DTD, which can declare XML entities. Such files are not read.")

    def stop(*_: object) -> None:
        raise _PrologEnd

    parser.StartDoctypeDeclHandler, parser.StartElementHandler = reject_doctype, stop
    try:
        while chunk := stream.read(_CHUNK_BYTES):
            parser.Parse(chunk)
    except _PrologEnd:
        return
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise _damage_error() from error


def parse(data: bytes) -> Element:
    """Parse a document and return its root element; raise Reject if it is damaged or has a DTD."""
    reject_dtd(io.BytesIO(data))
    try:
        return ET.fromstring(data)  # noqa: S314 - the DTD check has passed
    except PARSE_ERRORS as error:
        raise _damage_error() from error


def iter_children(stream: BinaryIO, name: str, below: int = 0) -> Iterator[Element]:
    """Yield the children of the first element of this name, or of the elements `below` levels below it.

    Elements are released after use, so memory stays bounded. The stream must have passed `reject_dtd`.
    """
    path: list[Element] = []
    try:
        for event, element in ET.iterparse(stream, ("start", "end")):  # noqa: S314 - the DTD check has passed
            if not path and (event == "end" or local_name(element) != name):
                continue
            if event == "start":
                path.append(element)
                continue
            path.pop()
            if not path:
                return
            if len(path) == below + 1:
                yield element
                path[-1].clear()
    except PARSE_ERRORS as error:
        raise _damage_error() from error


def check_depth(depth: int) -> None:
    """Reject nesting that would exhaust the stack; real documents are not nested this deeply."""
    if depth > _MAX_DEPTH:
        raise Reject("corrupt", "The file is nested too deeply to be read.")


def local_name(element: Element) -> str:
    """Return the tag without its namespace; strict and transitional files differ only in the namespace."""
    tag = element.tag
    return tag.rpartition("}")[2]


def attribute(element: Element, name: str) -> str | None:
    """Return an attribute by its name without namespace, or None."""
    for key, value in element.attrib.items():
        if key == name or key.endswith("}" + name):
            return value
    return None


def child_elements(element: Element | None) -> list[Element]:
    """Return the children of an element; an empty list if it is None."""
    return [] if element is None else list(element)


def child(element: Element | None, name: str) -> Element | None:
    """Return the first child of this name, or None."""
    return next((each for each in child_elements(element) if local_name(each) == name), None)


def find_path(element: Element | None, *names: str) -> Element | None:
    """Return the descendant reached by the first child of each name in turn, or None."""
    for name in names:
        element = child(element, name)
    return element


def child_value(element: Element | None, name: str, attribute_name: str = "val") -> str | None:
    """Return an attribute of the first child of this name, or None; Office stores most settings in `val`."""
    found = child(element, name)
    return None if found is None else attribute(found, attribute_name)


def _damage_error() -> Reject:
    return Reject("corrupt", "The file is damaged: the XML inside it cannot be parsed.")
