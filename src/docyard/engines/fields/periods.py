"""When a contract begins and ends: the dates of its agreement, effect and expiry, and its term."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.engines.fields.dates import Dated, dates_in
from docyard.engines.fields.paper import Paper
from docyard.model.facts import FieldValue

_HEAD_CHARS = 12_000
_AHEAD, _BEHIND = 120, 60
_MADE = re.compile(
    r"\b(?:made|entered\s+into|dated|executed|agreed)\b[^.;]{0,80}?\b(?:as\s+of|this|on|of|effective"
    r"|the)\b|\bdated?\b\s*:?|\bdatiert\b|\bvom\b",
    re.IGNORECASE,
)
_EFFECTIVE = re.compile(
    r"[\"“']?effective\s+date[\"”']?\s*(?:\)|:|means?|shall\s+mean|is|of\s+this\s+agreement\s+is"
    r"|shall\s+be)|\beffective\s+(?:as\s+of|on|from|date)?|"
    r"[\"“']?commencement\s+date[\"”']?\s*(?:means?|:|is|shall\s+be)|\bin\s+effect\s+(?:from|as\s+of|on)"
    r"|tritt\s+am\b|mit\s+Wirkung\s+(?:vom|zum)",
    re.IGNORECASE,
)
_EFFECTIVE_AFTER = re.compile(
    r"\s*,?\s*\(?\s*(?:the\s+|hereinafter\s+the\s+)?[\"“']\s*(?:effective"
    r"|commencement)\s+date",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"\b(?:commence[sd]?|begins?|commencing|beginning|starts?|starting)\b\s*(?:on|as\s+of"
    r"|from|at)?\s",
    re.IGNORECASE,
)
_EXPIRES = re.compile(
    r"\b(?:expires?|expiring|terminat(?:e|es|ing)|ends?|ending|continue[sd]?|through|until)\b\s*(?:on"
    r"|as\s+of|at|until|through|and\s+including|to)?\s",
    re.IGNORECASE,
)
_TERM = re.compile(
    r"\b(?:(?:initial\s+)?term|period|duration)\s+(?:of\s+this\s+agreement\s+)?(?:shall\s+be|is|of"
    r"|will\s+be)?[^.;]{0,120}?"
    r"(?P<term>(?:(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|eighteen|twenty"
    r"|thirty|sixty|ninety)[-\s]*)?"
    r"\(?\d{0,3}\)?[-\s]*(?:years?|months?|days?|weeks?))\b",
    re.IGNORECASE,
)


def contract_dates(paper: Paper, *, day_first: bool) -> Iterator[FieldValue]:
    """Date of the agreement, of its effect and of its expiry, and how long it runs."""
    text = paper.text
    head = dates_in(text[:_HEAD_CHARS], day_first=day_first)
    agreed = _first_after(text, _MADE, head, _HEAD_CHARS)
    if agreed is not None:
        yield paper.field("agreement_date", agreed.start, agreed.end, agreed.iso, confidence=0.85)
    dates = dates_in(text, day_first=day_first)
    effective, confidence = _effective(text, dates, agreed or (head[0] if head else None))
    if effective is not None:
        yield paper.field(
            "effective_date", effective.start, effective.end, effective.iso, confidence=confidence
        )
    expires = _first_after(text, _EXPIRES, dates, len(text))
    if expires is not None:
        yield paper.field("expiration_date", expires.start, expires.end, expires.iso, confidence=0.6)
    term = next((m for m in _TERM.finditer(text) if any(map(str.isalnum, m["term"][:-5]))), None)
    if term is not None:
        yield paper.field("term", term.start("term"), term.end("term"), confidence=0.6)


def _effective(text: str, dates: list[Dated], agreed: Dated | None) -> tuple[Dated | None, float]:
    """Called so, before or after; else the day on which it begins; else the day on which it was made."""
    for dated in dates:
        if _EFFECTIVE_AFTER.match(text, dated.end):
            return dated, 0.92
    called = _first_after(text, _EFFECTIVE, dates, len(text))
    if called is not None:
        return called, 0.85
    begins = _first_after(text, _BEGINS, dates, min(len(text), 40_000), ahead=25)
    if begins is not None:
        return begins, 0.6
    return agreed, 0.6


def _first_after(
    text: str, words: re.Pattern[str], dates: list[Dated], most: int, ahead: int = _BEHIND
) -> Dated | None:
    """The first date that stands close after such words, with no sentence's end between."""
    for match in words.finditer(text, 0, most):
        for dated in dates:
            between = text[match.end() : dated.start]
            if match.end() <= dated.start <= match.end() + ahead and not re.search(r"[.;]\s+[A-Z]", between):
                return dated
    return None
