"""Charts and diagrams of office files as Markdown; each is stored as a separate part."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.readers import markdown
from docyard.readers.xml_tree import Element, attribute, child, child_elements, local_name

REFERENCES = ("chart", "relIds")
_LONG_NUMBER = re.compile(r"-?\d{1,15}\.\d{13,20}")


def find_target(reference: Element, relations: dict[str, tuple[str, str]]) -> str:
    """Return the name of the part that a chart or diagram reference points to, or an empty string."""
    return relations.get(attribute(reference, "dm") or attribute(reference, "id") or "", ("", ""))[1]


def blocks(root: Element | None) -> Iterator[str]:
    """Yield a chart as its titles and a table of its series, or a diagram as its distinct texts."""
    if root is None:
        return
    series = [each for each in root.iter() if local_name(each) == "ser"]
    if not series:
        yield "\n".join(_find_texts(root))
        return
    yield from titles(root)
    yield markdown.table(_build_rows(series))


def titles(root: Element | None) -> Iterator[str]:
    """Yield the titles of a chart and its axes."""
    if root is not None:
        yield from (" ".join(_find_texts(each)) for each in root.iter() if local_name(each) == "title")


def _build_rows(series: list[Element]) -> list[list[str]]:
    """Return a table with a row for each category and a column for each series."""
    columns = [_read_points(each, ("val", "yVal")) for each in series]
    categories = next((found for each in series if (found := _read_points(each, ("cat", "xVal")))), {})
    names = [" ".join(_find_texts(child(each, "tx"))) for each in series]
    indexes = sorted({index for column in columns for index in column} | set(categories))
    rows = [[categories.get(index, ""), *(column.get(index, "") for column in columns)] for index in indexes]
    return [["", *names], *rows]


def _read_points(series: Element, kinds: tuple[str, ...]) -> dict[int, str]:
    """Return the cached points of a series by index; the workbook they came from is not opened."""
    found = {}
    for values in (each for each in series if local_name(each) in kinds):
        for point in (each for each in values.iter() if local_name(each) == "pt"):
            index = attribute(point, "idx") or ""
            if index.isascii() and index.isdecimal():
                found[int(index)] = " ".join(
                    _format_value(each.text or "") for each in child_elements(point) if local_name(each) == "v"
                )
    return found


def _format_value(text: str) -> str:
    """Return a value as office programs display it: with 15 of the 17 digits that they store."""
    return f"{float(text):.15g}" if _LONG_NUMBER.fullmatch(text) else text


def _find_texts(root: Element | None) -> list[str]:
    """Return the distinct texts of an element in document order."""
    found = (each.text or "" for each in (() if root is None else root.iter()) if local_name(each) in ("t", "v"))
    return list(dict.fromkeys(text.strip() for text in found if text.strip()))
