"""Postal addresses: lines with a street, and lines with a post code and a town."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from docyard.facts.notation.months import ANY_MONTH

_NAME = r"[A-ZÄÖÜÉÈÀÁÅØŁŚŻ][\w'’.-]{0,30}"
_SMALL = (
    r"(?:de|del|della|dell|des|du|di|da|la|le|les|los|las|der|den|dem|am|an|im|in|auf|zum|zur|van|von|of|the"
    r"|sur|el)"
)
_NAMES = rf"{_NAME}(?:[ ,]{{1,2}}(?:{_SMALL}[ ]){{0,3}}{_NAME}){{0,3}}"
_HOUSE_NUMBER = r"\d{1,3}\s?[a-zA-Z]?(?:\s?[-–/]\s?\d{1,4}\s?[a-zA-Z]?)?"
_STREET_ENDING = (
    r"(?:stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|ring|damm|ufer|kamp|markt|steig|chaussee|wall|straat|laan|kade|plein"
    r"|gracht|dijk|vej|gade|gatan|vägen)"
)
_SUFFIX = (
    r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Place|Pl|Square|Sq|Highway|Hwy"
    r"|Close|Terrace|Quay|Parkway|Pkwy|Crescent|Wharf|Row|Broadway|Turnpike|Gardens|Grove|Hill|Mews|Walk|Rise"
    r"|Park|Pike|Trail|Alley)\b\.?"
)
_PREFIX = (
    r"(?:rue|avenue|av\.|boulevard|bd|place|quai|chemin|allée|impasse|route|via|viale|piazza|corso|calata|largo|calle"
    r"|c/|avenida|avda\.?|plaza|paseo|carrer|rua|praça|ulica|ul\.)"
)
_STREET = re.compile(
    # Hafenstraße 9, Am Alten Markt 3, Unter den Linden 5
    rf"(?<!\w)(?!Bundes|Land|Kreis"
    rf"|Staats)(?:{_NAME}[ -])?(?:{_NAME})?(?i:{_STREET_ENDING})"
    rf"\s{{1,2}}{_HOUSE_NUMBER}(?![\w%€$£]|[.,]\d)"
    rf"|(?<!\w)(?:Am|An der|An den|Im|In der|Auf der|Auf dem|Zum|Zur|Unter den)"
    rf" {_NAME}(?: {_NAME})? {_HOUSE_NUMBER}(?=[ \t]*(?:[,;\n·●•|*–-]|$))"
    # 12 High Street, 815 NE Alder St.
    rf"|(?<![\w.,$€£])(?<!No\. )\d{{1,5}}[A-Za-z]? (?:[NSEW]{{1,2}}\.? )?(?:{_NAME} ){{1,3}}{_SUFFIX}(?!\w)"
    rf"|(?<![\w.,$€£])\d{{1,5}} \d{{1,3}}(?:st|nd|rd|th) {_SUFFIX}(?!\w)"
    # 14 rue des Tanneurs, Via Roma 1, C/ Olivo, 23
    rf"|(?<![\w.,$€£])\d{{1,4}}(?: ?(?:bis|ter))?,? (?i:{_PREFIX}) (?:{_SMALL} |[dl]['’]){{0,3}}{_NAMES}"
    rf"|(?<!\w)(?i:{_PREFIX}) ?(?:{_SMALL} |dell?['’]|[dl]['’]){{0,3}}"
    rf"{_NAMES},? (?:n[.º°]? ?)?{_HOUSE_NUMBER}(?![\w%€$£]|[.,]\d)"
)
_TOWN_WORD = r"(?:(?:St|Ste|Bad|Mt|Ft)\.? )?[A-ZÄÖÜÉÈÀÁÅØŁŚŻ][\w'’]{1,30}"


def _make_town_pattern(group: str) -> str:
    more = rf"[ -](?:(?:{_SMALL}|bei|ob)[ -]){{0,3}}{_TOWN_WORD}"
    return rf"(?P<{group}>{_TOWN_WORD}(?:{more}){{0,4}})"


_TOWN = re.compile(
    rf"(?<![\w.,/-])\d{{4}} ?[A-Z]{{2}} {{1,2}}{_make_town_pattern('dutch')}"
    rf"|(?<![\w.,/-])(?:[A-Z]{{1,3}}-)?\d{{4,5}} {_make_town_pattern('after')}"
    rf"|(?<!\w){_make_town_pattern('british')},? (?:[A-Z]{{1,2}}\d[A-Z\d]? ?\d[A-Z]{{2}})(?!\w)"
    rf"|(?<!\w){_make_town_pattern('american')},? [A-Z]{{2}},? {{1,2}}\d{{5}}(?:-\d{{4}})?(?!\d)"
)
# A year before a name is not a post code.
_NOT_A_CODE = re.compile(r"(?:19|20)\d\d ")
# Words that follow a number in citations and quantities and are not towns.
_NOT_A_TOWN = re.compile(r"(?:Rdn?r?|Rn|Rz|Nr|Abs|Art|Seiten?|Euro|EUR|Stück|Uhr|Jahre?)\b")
_SEPARATOR_BEFORE = re.compile(r"(?:^|\n|[,;|·●•*(–-])[ \t]{0,3}$|[ \t]{3}$")
_SEPARATOR_AFTER = re.compile(r"[ \t]{0,3}(?:$|\n|[.,;|·●•*)(–-]|[ \t]{3})")
_MONTH = re.compile(rf"(?:{ANY_MONTH})\b")


class AddressLine(NamedTuple):
    """A part of an address at `text[start:end]`; `town` is the range of its town in the same text, if any."""

    start: int
    end: int
    town: tuple[int, int] | None = None


def find_streets(text: str) -> Iterator[AddressLine]:
    """Yield streets with house numbers."""
    for match in _STREET.finditer(text):
        yield AddressLine(match.start(), match.end())


def find_towns(text: str) -> Iterator[AddressLine]:
    """Yield towns with post codes."""
    for match in _TOWN.finditer(text):
        town = match.span(match.lastgroup or 0)
        if (match.lastgroup not in ("after", "dutch") or _is_separate(text, match)) and not _MONTH.match(text, *town):
            yield AddressLine(match.start(), match.end(), town)


_CODE_ALONE = re.compile(r"\s*(?:[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z]\d[A-Z] \d[A-Z]\d)\s*")


def _is_separate(text: str, match: re.Match[str]) -> bool:
    """Return whether a post code and a town are set off from other text, unlike "1200 Employees"."""
    return bool(
        not _NOT_A_CODE.match(match[0])
        and not _NOT_A_TOWN.match(text, *match.span(match.lastgroup or 0))
        and _SEPARATOR_BEFORE.search(text[max(match.start() - 3, 0) : match.start()])
        and _SEPARATOR_AFTER.match(text, match.end())
    )


def is_address(line: str) -> bool:
    """Return whether a line contains a street or a town with a post code, or is only a post code.

    A post code alone is recognised only in the British and Canadian notations.
    """
    if _CODE_ALONE.fullmatch(line):
        return True
    return any(True for _ in find_streets(line)) or any(True for _ in find_towns(line))
