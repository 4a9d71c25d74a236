"""Which paragraph of a Word document is a heading or an item of a list, by its styles and numberings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from docyard.readers.office.package import Package
from docyard.readers.xml_tree import Element, attribute, child, inside, local, value_of

_HEADING_NAME = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|kop|nagłówek) ?([1-6])", re.IGNORECASE
)
_LONGEST_CHAIN = 20  # styles may be based on each other in a circle
_BODY_LEVEL = 9  # the outline level of what is no heading


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    based_on: str | None
    level: int | None
    numbering: tuple[str | None, int | None]


@dataclass(frozen=True, slots=True)
class Place:
    """What a paragraph is: a heading of a level, an item at a depth (perhaps with a number), or neither."""

    heading: int | None = None
    depth: int | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Styles:
    """Styles and numberings of one document, and how far its lists have been counted."""

    styles: dict[str, _Style]
    formats: dict[tuple[str, int], str]
    counts: dict[tuple[str, int], int] = field(default_factory=dict)

    def place(self, properties: Element | None) -> Place:
        """What the paragraph with these properties is; an item is counted."""
        style = value_of(properties, "pStyle")
        level = _number(value_of(properties, "outlineLvl"))
        if level is None:
            level = self._level(style)
        if level is not None and level < _BODY_LEVEL:
            return Place(heading=level + 1)
        numbering, depth = self._numbering(properties, style)
        return Place() if numbering in (None, "0") else self._item(str(numbering), depth or 0)

    def _item(self, numbering: str, depth: int) -> Place:
        kind = self.formats.get((numbering, depth), "bullet")
        if kind == "none":
            return Place()
        for key in [key for key in self.counts if key[0] == numbering and key[1] > depth]:
            del self.counts[key]
        self.counts[numbering, depth] = self.counts.get((numbering, depth), 0) + 1
        return Place(depth=depth, number=None if kind == "bullet" else self.counts[numbering, depth])

    def _chain(self, style: str | None) -> list[_Style]:
        found: list[_Style] = []
        while style in self.styles and len(found) < _LONGEST_CHAIN:
            found.append(self.styles[style])
            style = found[-1].based_on
        return found

    def _level(self, style: str | None) -> int | None:
        for each in self._chain(style):
            if each.level is not None:
                return each.level
            if named := _HEADING_NAME.fullmatch(each.name):
                return int(named[1]) - 1
            if each.name.lower() == "title":
                return 0
        return None

    def _numbering(self, properties: Element | None, style: str | None) -> tuple[str | None, int | None]:
        own = _numbering(child(properties, "numPr"))
        if own[0] is not None:
            return own
        inherited = (each.numbering for each in self._chain(style) if each.numbering[0] is not None)
        numbering, depth = next(inherited, (None, None))
        return numbering, own[1] if own[1] is not None else depth


def styles_of(package: Package, part: str) -> Styles:
    """The styles and numberings that the document of this part uses."""
    styles = next(iter(package.related(part, "styles")), None)
    numberings = next(iter(package.related(part, "numbering")), None)
    return Styles(dict(map(_style, _all(package.tree(styles), "style"))), _formats(package.tree(numberings)))


def _style(element: Element) -> tuple[str, _Style]:
    properties = child(element, "pPr")
    return attribute(element, "styleId") or "", _Style(
        value_of(element, "name") or "",
        value_of(element, "basedOn"),
        _number(value_of(properties, "outlineLvl")),
        _numbering(child(properties, "numPr")),
    )


def _formats(root: Element | None) -> dict[tuple[str, int], str]:
    """How each level of each numbering is written: bullet, decimal, none and so on."""
    levels = {
        attribute(each, "abstractNumId"): {
            _number(attribute(level, "ilvl")) or 0: value_of(level, "numFmt") or "decimal"
            for level in _all(each, "lvl")
        }
        for each in _all(root, "abstractNum")
    }
    return {
        (attribute(each, "numId") or "", depth): kind
        for each in _all(root, "num")
        for depth, kind in levels.get(value_of(each, "abstractNumId"), {}).items()
    }


def _numbering(element: Element | None) -> tuple[str | None, int | None]:
    return value_of(element, "numId"), _number(value_of(element, "ilvl"))


def _all(root: Element | None, name: str) -> list[Element]:
    return [each for each in inside(root) if local(each) == name]


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 10 else None
