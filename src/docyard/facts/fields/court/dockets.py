"""Docket numbers: the numbers that courts assign to their cases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_DASH = r"[-–‑]"
# Formats that are case numbers in any context.
_CERTAIN_FORMAT = re.compile(
    r"(?<![\w/.,$§-])(?:"
    r"\d{1,2}:\d\d" + _DASH + r"[a-z]{2,4}" + _DASH + r"\d{2,6}(?:" + _DASH + r"[A-Z]{2,4}"
    r"|\s[A-Z]{2,4}(?=\s\())*"  # 8:16-cv-01261-DOC
    r"|\d\d" + _DASH + r"\d\d" + _DASH + r"\d{5}" + _DASH + r"[A-Z]{2}"  # 07-23-00142-CR
    r"|\d{4}" + _DASH + r"[A-Z]{1,3}" + _DASH + r"\d{3,6}(?:" + _DASH + r"[A-Z]{2,4})?"  # 2024-CA-00320-COA
    r"|\d\d[A-Z]\d\d" + _DASH + r"\d{4}" + _DASH + r"[A-Z]{2}" + _DASH + r"\d+"  # 49S00-0308-DP-392
    r"|[A-Z]\d{6}[A-Z]?|[A-Z]{2}\d{5,6}"  # D081050
    r"|[IVX]{1,4}\s(?:ZR|ZB|StR|AZR|BvR|BvL|ZA)\s\d{1,4}/\d\d|\d{1,2}\s(?:BvR|BvL|StR|AZR|O|U|S|C"
    r"|K)\s\d{1,5}/\d\d"  # VIII ZR 123/20
    r"|C" + _DASH + r"\d{1,3}/\d\d(?:\sP)?"  # C-131/12
    r"|\d{1,2}\s(?:Ob|ObA|ObS|Os|Nc)\s\d{1,4}/\d\d[a-z]"  # 4 Ob 12/23k
    r"|[A-Z]{2}" + _DASH + r"\d{4}" + _DASH + r"\d{6}"  # CL-2022-000417
    r"|(?<=RG\s)\d\d/\d{4,5}"  # RG 21/04417
    r")(?![\w/])"
)
# Shorter formats, which count only after a label.
_SHORT_FORMAT = (
    r"\d{3,7}/\d{4}|[A-Z]{1,3}[ ]\d\d"
    + _DASH
    + r"\d{2,6}|[A-Z]{2}"
    + _DASH
    + r"\d{4}"
    + _DASH
    + r"\d{3,6}|(?:MDL\s)?\d{1,4}"
    + _DASH
    + r"(?:[A-Z]{1,2}"
    + _DASH
    + r")?\d{2,6}(?:"
    + _DASH
    + r"[A-Z\d]{1,5})*|[A-Z]{1,3}"
    + _DASH
    + r"?\d{4,7}"
    r"|\d{3,5}[A-Z]\d\d(?:" + _DASH + r"\d+)?|[a-z]{2}\d\d" + _DASH + r"\d{2,4}"
)
_LABELLED = re.compile(
    r"(?:\b(?:Case|Docket|Cause|Appeal|Case\s{1,40}File|Civil\s{1,40}Action|Index|Application|File"
    r"|Crim(?:inal)?"
    r"|USDC"
    r"|C\.?A\.?)\s{1,40})?"
    r"(?:\bNos?\.|\bNOS?\.|\bNUMBER\b|\bNumber\b|\bNo\b|\b(?:Case|Appeal|Docket)\b\s{0,40}:)\s{0,40}:?\s{0,40}"
    r"(?P<number>"
    + _SHORT_FORMAT
    + r"|\d:\d\d"
    + _DASH
    + r"[a-zA-Z]{2,4}"
    + _DASH
    + r"\d+(?:"
    + _DASH
    + r"\w+)*)(?![\w/])"
    r"(?P<more>(?:\s{0,40}(?:,|and|&|,\s{0,40}and)\s{1,40}(?:" + _SHORT_FORMAT + r")(?![\w/]))*)"
)
# Short numbers that begin a line or table cell and are alone there or before a bracket.
_ALONE = re.compile(
    r"(?:^|\|)[ \t]*(?:[-*#X][ \t]+)?(?P<number>\d\d"
    + _DASH
    + r"\d{2,5}|\d{4}"
    + _DASH
    + r"\d{2,4}|[a-z]{2}\d\d"
    + _DASH
    + r"\d{2,4})(?=[ \t]*(?:$|\||\[))",
    re.MULTILINE,
)
_YEARS = re.compile(r"(?:19|20)\d\d[-–](?:(?:19|20)\d\d|\d\d)")


class Docket(NamedTuple):
    """A case number at `text[start:end]`; `labelled` is whether a label precedes it."""

    start: int
    end: int
    number: str
    labelled: bool


def find_dockets(text: str) -> list[Docket]:
    """Return the case numbers in text order, without overlaps."""
    found = {docket.start: docket for docket in _find_all(text)}
    kept: list[Docket] = []
    for start in sorted(found):
        if not kept or start >= kept[-1].end:
            kept.append(found[start])
    return kept


def _find_all(text: str) -> Iterator[Docket]:
    for match in _CERTAIN_FORMAT.finditer(text):
        yield _make_docket(text, *match.span(), labelled=False)
    for match in _ALONE.finditer(text):
        if not _YEARS.fullmatch(match["number"]):
            yield _make_docket(text, *match.span("number"), labelled=False)
    for match in _LABELLED.finditer(text):
        yield _make_docket(text, *match.span("number"), labelled=True)
        for more in re.compile(_SHORT_FORMAT).finditer(text, *match.span("more")):
            yield _make_docket(text, *more.span(), labelled=True)


def _make_docket(text: str, start: int, end: int, *, labelled: bool) -> Docket:
    plain = re.sub(r"[–‑]", "-", text[start:end])
    return Docket(start, end, " ".join(plain.split()), labelled)
