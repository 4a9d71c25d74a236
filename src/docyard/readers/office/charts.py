"""Charts and diagrams in office files: parts of their own, whose numbers and words are kept as text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.readers import markdown
from docyard.readers.xml_tree import Element, attribute, child, inside, local

REFERENCES = ("chart", "relIds")
_LONG_NUMBER = re.compile(r"-?\d{1,15}\.\d{13,20}")


def target_of(reference: Element, relations: dict[str, tuple[str, str]]) -> str:
    """The part that a chart or diagram in the text refers to."""
    return relations.get(attribute(reference, "dm") or attribute(reference, "id") or "", ("", ""))[1]


def blocks(root: Element | None) -> Iterator[str]:
    """A chart as its title and a table of its series; a diagram as its words, each once."""
    if root is None:
        return
    series = [each for each in root.iter() if local(each) == "ser"]
    if not series:
        yield "\n".join(_words(root))
        return
    yield from titles(root)
    yield markdown.table(_rows(series))


def titles(root: Element | None) -> Iterator[str]:
    """The titles of a chart and its axes."""
    if root is not None:
        yield from (" ".join(_words(each)) for each in root.iter() if local(each) == "title")


def _rows(series: list[Element]) -> list[list[str]]:
    """The categories below each other, a column for each series."""
    columns = [_points(each, ("val", "yVal")) for each in series]
    categories = next((found for each in series if (found := _points(each, ("cat", "xVal")))), {})
    names = [" ".join(_words(child(each, "tx"))) for each in series]
    places = sorted({place for column in columns for place in column} | set(categories))
    rows = [[categories.get(place, ""), *(column.get(place, "") for column in columns)] for place in places]
    return [["", *names], *rows]


def _points(series: Element, kinds: tuple[str, ...]) -> dict[int, str]:
    """The cached points of a series by their places; the workbook they came from is not opened."""
    found = {}
    for data in (each for each in series if local(each) in kinds):
        for point in (each for each in data.iter() if local(each) == "pt"):
            place = attribute(point, "idx") or ""
            if place.isascii() and place.isdecimal():
                found[int(place)] = " ".join(
                    _shown(each.text or "") for each in inside(point) if local(each) == "v"
                )
    return found


def _shown(text: str) -> str:
    """A value as office programs show it: they keep 17 digits of a number, of which 15 mean something."""
    return f"{float(text):.15g}" if _LONG_NUMBER.fullmatch(text) else text


def _words(root: Element | None) -> list[str]:
    found = (each.text or "" for each in (() if root is None else root.iter()) if local(each) in ("t", "v"))
    return list(dict.fromkeys(text.strip() for text in found if text.strip()))
