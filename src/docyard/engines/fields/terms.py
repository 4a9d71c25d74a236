"""How long a contract runs, and the day on which it ends by that."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import NamedTuple

_ONES = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen"),
)
_TENS = {"eighteen": 18, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
_WORDS = {word: number for number, word in enumerate(_ONES, start=1)} | _TENS
_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_LENGTH = (
    rf"(?P<length>(?:(?P<word>\b(?:(?:{_WORD})[-\s]{{1,3}})?(?:{_WORD}))[-\s]{{0,3}})?"
    r"(?:\(?\s?(?P<digits>\d{1,3})\s?\)?)?[-\s]{0,3}(?P<unit>years?|months?|weeks?|days?))\b"
)
_AGREEMENT = r"(?:this|the)\s{1,40}(?:\w+\s{1,40}){0,3}?(?:agreement|contract|lease|license)"
_GOES_ON = r"continue|remain|effective|effect|force|initial\s{1,40}term|have"
# The contract's own term before any other: what it calls so, or for how long it says that it goes on.
_SAID = tuple(
    re.compile(pattern + _LENGTH, re.IGNORECASE)
    for pattern in (
        rf"\b(?:initial\s{{1,40}})?(?:term|duration)\s{{1,40}}of\s{{1,40}}{_AGREEMENT}\b[^.;]{{0,160}}?",
        rf"\b{_AGREEMENT}\b[^.;]{{0,120}}?\b(?:{_GOES_ON})\b[^.;]{{0,120}}?",
        r"\binitial\s{1,40}(?:term|period)\b[^.;]{0,120}?",
        r"[\"“']term[\"”'][^.;]{0,120}?",
        r"\b(?:term|duration)\s{1,40}(?:shall\s{1,40}be|is|of|will\s{1,40}be)\b[^.;]{0,80}?",
    )
)
_NOT_OWN = re.compile(
    r"\b(?:notice|renew\w*|extend\w*|extension|additional|after|following|warranty|prior|within"
    r"|surviv\w*|terminat\w*|expir\w*)\b",
    re.IGNORECASE,
)
_FROM_BEGINNING = re.compile(
    r"\b(?:effective\s{1,40}date|commencement\s{1,40}date|date\s{1,40}(?:of\s{1,40}this|hereof|first)"
    r"|thereafter|commenc\w*|begin\w*|effective\s{1,40}as)\b",
    re.IGNORECASE,
)
_NOTICE = re.compile(r"['’]?\s{1,40}(?:(?:prior|advance|written)\s{1,40}){0,3}notice\b", re.IGNORECASE)
_SENTENCE = 220  # letters after the length in which its beginning may be said
_SHORTEST_DAYS = 28  # less is a time to answer in, not a term


class Term(NamedTuple):
    """`text[start:end]` says how long; `counted` where it says that it counts from the beginning."""

    start: int
    end: int
    number: int
    unit: str
    counted: bool


def term_of(text: str, most: int) -> Term | None:
    """For how long a contract first runs."""
    for pattern in _SAID:
        for match in pattern.finditer(text, 0, most):
            count, unit = _count(match), match["unit"].lower().rstrip("s")
            before = text[match.start() : match.start("length")]
            other = (
                _NOTICE.match(text, match.end())
                or "surviv" in text[max(match.start() - 80, 0) : match.start()]
            )
            if count and not other and not _NOT_OWN.search(before) and _days(count, unit) >= _SHORTEST_DAYS:
                return Term(*match.span("length"), count, unit, _is_counted(text, match))
    return None


def _is_counted(text: str, match: re.Match[str]) -> bool:
    after = re.split(r"[.;]\s", text[match.end() : match.end() + _SENTENCE], maxsplit=1)[0]
    return bool(_FROM_BEGINNING.search(match[0] + after))


def _count(match: re.Match[str]) -> int:
    if match["digits"]:
        return int(match["digits"])
    return sum(_WORDS[word] for word in re.split(r"[-\s]+", (match["word"] or "").lower()) if word)


def _days(count: int, unit: str) -> int:
    return count * {"year": 365, "month": 30, "week": 7, "day": 1}[unit]


def end_of(begins: date, term: Term) -> date | None:
    """The last day; what begins with a month ends with one."""
    if term.unit in ("week", "day"):
        return begins + timedelta(days=_days(term.number, term.unit))
    months = begins.month - 1 + term.number * (12 if term.unit == "year" else 1)
    try:
        after = date(begins.year + months // 12, months % 12 + 1, begins.day)
    except ValueError:
        return None
    return after - timedelta(days=1) if begins.day == 1 else after
