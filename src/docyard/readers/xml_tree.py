"""XML of documents, parsed so that nothing can be declared, expanded or fetched: a DTD is refused."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO
from xml.etree import ElementTree as ET
from xml.parsers import expat

from docyard.errors import Reject

Element = ET.Element
DAMAGE = (ET.ParseError, ValueError, LookupError)
_STEP = 1 << 16
_DEEPEST = 100


class _Seen(Exception):
    """The prolog has been read as far as it matters."""


def refuse_dtd(stream: BinaryIO) -> None:
    """Read the prolog, the only place for a DTD, and refuse one; entities cannot be declared without it."""
    parser = expat.ParserCreate()

    def declared(*_: object) -> None:
        raise Reject("validation", "The file declares XML entities (a DTD), which are never resolved.")

    def begun(*_: object) -> None:
        raise _Seen

    parser.StartDoctypeDeclHandler, parser.StartElementHandler = declared, begun
    try:
        while piece := stream.read(_STEP):
            parser.Parse(piece)
    except _Seen:
        return
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise _damaged() from error


def parse(data: bytes) -> Element:
    """The root of a document without a DTD."""
    refuse_dtd(io.BytesIO(data))
    try:
        return ET.fromstring(data)  # noqa: S314 - it has no DTD
    except DAMAGE as error:
        raise _damaged() from error


def children_of(stream: BinaryIO, name: str, below: int = 0) -> Iterator[Element]:
    """The children of the first element of that name, or of those so many levels below it, one at a time.

    So a long text needs no memory. The stream must have passed `refuse_dtd`.
    """
    path: list[Element] = []
    try:
        for event, element in ET.iterparse(stream, ("start", "end")):  # noqa: S314 - it has no DTD
            if not path and (event == "end" or local(element) != name):
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
    except DAMAGE as error:
        raise _damaged() from error


def refuse_depth(depth: int) -> None:
    """Stop before the stack ends; no author nests so deeply."""
    if depth > _DEEPEST:
        raise Reject("corrupt", "The file is nested too deeply to be read.")


def local(element: Element) -> str:
    """The name of an element without its namespace: strict and transitional files differ only there."""
    tag = element.tag
    return tag.rpartition("}")[2]


def attribute(element: Element, name: str) -> str | None:
    """An attribute by its name without namespace."""
    for key, value in element.attrib.items():
        if key == name or key.endswith("}" + name):
            return value
    return None


def inside(element: Element | None) -> list[Element]:
    """The children of an element, none when it is not there; its own truth would only say if it has some."""
    return [] if element is None else list(element)


def child(element: Element | None, name: str) -> Element | None:
    """The first child of that name."""
    return next((each for each in inside(element) if local(each) == name), None)


def descend(element: Element | None, *names: str) -> Element | None:
    """The element at the end of a path of first children."""
    for name in names:
        element = child(element, name)
    return element


def value_of(element: Element | None, name: str, attribute_name: str = "val") -> str | None:
    """The attribute `val` of the first child of that name, as Office writes its settings."""
    found = child(element, name)
    return None if found is None else attribute(found, attribute_name)


def _damaged() -> Reject:
    return Reject("corrupt", "The file is damaged: the XML inside cannot be read.")
