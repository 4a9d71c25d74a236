"""When a contract begins and ends: the dates of its agreement, effect and expiry, and its term."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from docyard.engines.fields.dates import Dated, between, dates_in
from docyard.engines.fields.paper import Paper
from docyard.engines.fields.terms import Term, end_of, term_of
from docyard.model.facts import FieldValue

_HEAD_CHARS, _TERM_CHARS = 12_000, 60_000
_SENTENCE_END = re.compile(r"[.;]\s{1,40}[A-Z]")
_AHEAD, _BEHIND, _SAME_CLAUSE = 120, 60, 220
_MADE = re.compile(
    r"\b(?:made|entered\s{1,40}into|dated|executed|agreed)\b[^.;]{0,80}?\b(?:as\s{1,40}of|this|on|of"
    r"|effective"
    r"|the)\b|\bdated?\b\s{0,40}:?|\bdatiert\b|\bvom\b",
    re.IGNORECASE,
)
_EFFECTIVE = re.compile(
    r"[\"“']?effective\s{1,40}date[\"”']?\s{0,40}(?:\)|:|means?|shall\s{1,40}mean|is"
    r"|of\s{1,40}this\s{1,40}agreement\s{1,40}is"
    r"|shall\s{1,40}be)|\beffective\s{1,40}(?:as\s{1,40}of|on|from|date)?|"
    r"[\"“']?commencement\s{1,40}date[\"”']?\s{0,40}(?:means?|:|is|shall\s{1,40}be)"
    r"|\bin\s{1,40}effect\s{1,40}(?:from|as\s{1,40}of|on)"
    r"|tritt\s{1,40}am\b|start\s{1,40}date\s{0,40}:|entre\s{1,40}en\s{1,40}vigueur\s{1,40}le"
    r"|beginnt\s{1,40}am|mit\s{1,40}Wirkung\s{1,40}(?:vom|zum)",
    re.IGNORECASE,
)
_EFFECTIVE_AFTER = re.compile(
    r"\s{0,40},?\s{0,40}\(?\s{0,40}(?:the\s{1,40}|hereinafter\s{1,40}the\s{1,40})?[\"“']\s{0,40}(?:effective"
    r"|commencement)\s{1,40}date",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"\b(?:commence[sd]?|begins?|commencing|beginning|starts?|starting)\b\s{0,40}(?:on|as\s{1,40}of"
    r"|from|at)?\s",
    re.IGNORECASE,
)
_EXPIRES = re.compile(
    r"\b(?:expires?|expiring|terminat(?:e|es|ing)|ends?|ending|continue[sd]?|through|until)\b\s{0,40}(?:on"
    r"|as\s{1,40}of|at|until|through|and\s{1,40}including|to)?\s",
    re.IGNORECASE,
)
_RENEWED = re.compile(r"\b(?:renew\w*|extend\w*|extension)\b", re.IGNORECASE)
_RANGE = re.compile(
    r"\s{0,20}(?:to|through|until|till|-|–|and\s{1,40}(?:ending|ends|expiring|expires)\s{1,40}on)\s{0,20}"
)
_TERM_BEFORE = re.compile(
    r"\b(?:term|period|commenc\w*|begin\w*|start\w*|effective)\b[^.;]{0,60}$", re.IGNORECASE
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
    term = term_of(text, _TERM_CHARS)
    yield from _expiry(paper, dates, effective, term)
    if term is not None:
        yield paper.field("term", term.start, term.end, confidence=0.6)


def _expiry(
    paper: Paper, dates: list[Dated], effective: Dated | None, term: Term | None
) -> Iterator[FieldValue]:
    """The day that is said; else what follows from the beginning and the term, at the term's place."""
    said = _range_end(paper.text, dates) or _first_after(
        paper.text, _EXPIRES, dates, len(paper.text), _RENEWED
    )
    if said is not None:
        yield paper.field("expiration_date", said.start, said.end, said.iso, confidence=0.6)
        return
    if effective is None or term is None or not term.counted:
        return
    last = end_of(effective.day, term)
    if last is not None:
        yield paper.field("expiration_date", term.start, term.end, last.isoformat(), confidence=0.5)


def _range_end(text: str, dates: list[Dated]) -> Dated | None:
    """The second day of "the term is from … to …"."""
    for one, other in pairwise(dates):
        joined = _RANGE.fullmatch(text, one.end, other.start)
        if joined and _TERM_BEFORE.search(text, max(one.start - _AHEAD, 0), one.start):
            return other
    return None


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
    text: str,
    words: re.Pattern[str],
    dates: list[Dated],
    most: int,
    unless: re.Pattern[str] | None = None,
    ahead: int = _BEHIND,
) -> Dated | None:
    """The first date that stands close after such words, with no sentence's end between."""
    for match in words.finditer(text, 0, most):
        if unless is not None and unless.search(text, max(match.start() - _SAME_CLAUSE, 0), match.end()):
            continue
        for dated in between(dates, match.end(), match.end() + ahead + 1):
            if not _SENTENCE_END.search(text, match.end(), dated.start):
                return dated
    return None
