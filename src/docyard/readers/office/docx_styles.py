"""Headings and list items of a Word document, recognised by styles and numbering."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from docyard.readers.office.package import Package
from docyard.readers.xml_tree import Element, attribute, child, child_elements, child_value, local_name

_HEADING_NAME = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop|nagłówek) ?([1-6])", re.IGNORECASE)
_MAX_CHAIN = 20  # base styles to follow; a limit is needed because they may form a cycle
_BODY_LEVEL = 9  # outline level of body text


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    based_on: str | None
    level: int | None
    numbering: tuple[str | None, int | None]


@dataclass(frozen=True, slots=True)
class ParagraphRole:
    """The role of a paragraph: a heading, a list item at a depth (with a number if ordered), or neither."""

    heading: int | None = None
    depth: int | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Styles:
    """The styles and numbering of one document, and the current counts of its lists."""

    styles: dict[str, _Style]
    formats: dict[tuple[str, int], str]
    counts: dict[tuple[str, int], int] = field(default_factory=dict)

    def find_role(self, properties: Element | None) -> ParagraphRole:
        """Return the role of a paragraph by its properties; a list item increments the count of its list."""
        style = child_value(properties, "pStyle")
        level = _parse_int(child_value(properties, "outlineLvl"))
        if level is None:
            level = self._outline_level(style)
        if level is not None and level < _BODY_LEVEL:
            return ParagraphRole(heading=level + 1)
        numbering, depth = self._find_numbering(properties, style)
        return ParagraphRole() if numbering in (None, "0") else self._next_item(str(numbering), depth or 0)

    def _next_item(self, numbering: str, depth: int) -> ParagraphRole:
        kind = self.formats.get((numbering, depth), "bullet")
        if kind == "none":
            return ParagraphRole()
        for key in [key for key in self.counts if key[0] == numbering and key[1] > depth]:
            del self.counts[key]
        self.counts[numbering, depth] = self.counts.get((numbering, depth), 0) + 1
        return ParagraphRole(depth=depth, number=None if kind == "bullet" else self.counts[numbering, depth])

    def _base_styles(self, style: str | None) -> list[_Style]:
        found: list[_Style] = []
        while style in self.styles and len(found) < _MAX_CHAIN:
            found.append(self.styles[style])
            style = found[-1].based_on
        return found

    def _outline_level(self, style: str | None) -> int | None:
        for each in self._base_styles(style):
            if each.level is not None:
                return each.level
            if match := _HEADING_NAME.fullmatch(each.name):
                return int(match[1]) - 1
            if each.name.lower() == "title":
                return 0
        return None

    def _find_numbering(self, properties: Element | None, style: str | None) -> tuple[str | None, int | None]:
        own = _parse_numbering(child(properties, "numPr"))
        if own[0] is not None:
            return own
        inherited = (each.numbering for each in self._base_styles(style) if each.numbering[0] is not None)
        numbering, depth = next(inherited, (None, None))
        return numbering, own[1] if own[1] is not None else depth


def load_styles(package: Package, part: str) -> Styles:
    """Load the styles and numbering of the document in this part."""
    styles = next(iter(package.find_related(part, "styles")), None)
    numberings = next(iter(package.find_related(part, "numbering")), None)
    return Styles(
        dict(map(_parse_style, _children(package.parse_part(styles), "style"))),
        _number_formats(package.parse_part(numberings)),
    )


def _parse_style(element: Element) -> tuple[str, _Style]:
    properties = child(element, "pPr")
    return attribute(element, "styleId") or "", _Style(
        child_value(element, "name") or "",
        child_value(element, "basedOn"),
        _parse_int(child_value(properties, "outlineLvl")),
        _parse_numbering(child(properties, "numPr")),
    )


def _number_formats(root: Element | None) -> dict[tuple[str, int], str]:
    """Return the number format of each level of each numbering: bullet, decimal, none and so on."""
    levels = {
        attribute(each, "abstractNumId"): {
            _parse_int(attribute(level, "ilvl")) or 0: child_value(level, "numFmt") or "decimal"
            for level in _children(each, "lvl")
        }
        for each in _children(root, "abstractNum")
    }
    return {
        (attribute(each, "numId") or "", depth): kind
        for each in _children(root, "num")
        for depth, kind in levels.get(child_value(each, "abstractNumId"), {}).items()
    }


def _parse_numbering(element: Element | None) -> tuple[str | None, int | None]:
    return child_value(element, "numId"), _parse_int(child_value(element, "ilvl"))


def _children(root: Element | None, name: str) -> list[Element]:
    return [each for each in child_elements(root) if local_name(each) == name]


def _parse_int(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 10 else None
