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
_ABROAD = {
    **dict.fromkeys(("ein", "eine", "einem", "einen", "eines", "un", "une", "uno", "una", "één"), 1),
    **dict.fromkeys(("zwei", "deux", "dos", "due", "twee"), 2),
    **dict.fromkeys(("drei", "trois", "tres", "tre", "drie"), 3),
    **dict.fromkeys(("vier", "quatre", "cuatro", "quattro"), 4),
    **dict.fromkeys(("fünf", "cinq", "cinco", "cinque", "vijf"), 5),
    **dict.fromkeys(("sechs", "seis", "sei", "zes"), 6),
    **dict.fromkeys(("zehn", "dix", "diez", "dieci", "tien"), 10),
    **dict.fromkeys(("zwölf", "douze", "doce", "dodici", "twaalf"), 12),
}
_UNITS = {
    **dict.fromkeys(("jahr", "jahre", "jahren", "an", "ans", "année", "années", "año", "años"), "year"),
    **dict.fromkeys(("anno", "anni", "jaar"), "year"),
    **dict.fromkeys(("monat", "monate", "monaten", "mois", "mes", "meses", "mese", "mesi"), "month"),
    **dict.fromkeys(("maand", "maanden"), "month"),
}
_WORDS = {word: number for number, word in enumerate(_ONES, start=1)} | _TENS
_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_LENGTH = (
    rf"(?P<length>(?:(?P<word>\b(?:(?:{_WORD})[-\s]{{1,3}})?(?:{_WORD}))[-\s]{{0,3}})?"
    r"(?:\(?\s?(?P<digits>\d{1,3})\s?\)?)?[-\s]{0,3}(?P<unit>years?|months?|weeks?|days?))\b"
)
_LENGTH_ABROAD = (
    rf"(?P<length>(?:(?P<word>\b(?:{'|'.join(_ABROAD)}))\s{{1,3}})?(?:\(?\s?(?P<digits>\d{{1,3}})\s?\)?)?"
    rf"\s{{0,3}}(?P<unit>{'|'.join(sorted(_UNITS, key=len, reverse=True))}))\b"
)
_AGREEMENT = r"(?:this|the)\s{1,40}(?:\w+\s{1,40}){0,3}?(?:agreement|contract|lease|license)"
_DURATION = "Dauer|Laufzeit|Mietzeit|Vertragsdauer|durée|duración|durata|duur|looptijd|vigencia"
_GOES_ON = r"continue|remain|effective|effect|force|initial\s{1,40}term|have"
# The contract's own term before any other: what it calls so, or for how long it says that it goes on.
_SAID = (
    *(
        re.compile(pattern + _LENGTH, re.IGNORECASE)
        for pattern in (
            rf"\b(?:initial\s{{1,40}})?(?:term|duration)\s{{1,40}}of\s{{1,40}}{_AGREEMENT}\b[^.;]{{0,160}}?",
            rf"\b{_AGREEMENT}\b[^.;]{{0,120}}?\b(?:{_GOES_ON})\b[^.;]{{0,120}}?",
            r"\binitial\s{1,40}(?:term|period)\b[^.;]{0,120}?",
            r"[\"“']term[\"”'][^.;]{0,120}?",
            r"\b(?:term|duration)\s{1,40}(?:shall\s{1,40}be|is|of|will\s{1,40}be)\b[^.;]{0,80}?",
        )
    ),
    re.compile(rf"\b(?:{_DURATION})\b[^.;]{{0,80}}?{_LENGTH_ABROAD}", re.IGNORECASE),
)
# It ends 24 months later, after 18 months, five years after the effective date.
_ENDS_AFTER = re.compile(
    r"\b(?:ends?|expires?|terminates?|ending|expiring|shall\s{1,40}(?:end|expire|terminate))\s{1,40}"
    rf"(?P<after>after\s{{1,40}})?{_LENGTH}\s{{0,40}}(?:(?P<later>later\b|(?:after|from|following)\s{{1,40}}(?:the\s"
    r"{1,40}|its\s{1,40})?(?:effective|commencement|start|beginning|date\s{1,40}(?:of|hereof)))|(?=[.,;]))",
    re.IGNORECASE,
)
_UNLESS_ENDED = re.compile(
    r"\b(?:unless|subject\s{1,40}to)\b[^,.;]{0,80}\bterminat\w*[^,.;]{0,60}", re.IGNORECASE
)
_NOT_OWN = re.compile(
    r"\b(?:verlänger\w*|renouvel\w*|kündig\w*|préavis|preaviso|prórrog\w*|prorrog\w*|rinnov\w*|verleng\w*|opzeg\w*"
    r"|notice|renew\w*|extend\w*|extension|additional|after|following|warranty|prior|within"
    r"|surviv\w*|terminat\w*|expir\w*)\b",
    re.IGNORECASE,
)
_FROM_BEGINNING = re.compile(
    r"\b(?:effective\s{1,40}date|commencement\s{1,40}date|date\s{1,40}(?:of\s{1,40}this|hereof|first)"
    r"|thereafter|commenc\w*|begin\w*|effective\s{1,40}as|beginn\w*|in\s{1,40}Kraft|vigueur|ab\s{1,40}dem|à\s{1,40}compter|desde"
    r"|a\s{1,40}partir|a\s{1,40}decorrere|vanaf|met\s{1,40}ingang)\b",
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
    for match in _ENDS_AFTER.finditer(text, 0, most):
        count, unit = _count(match), _unit(match["unit"].lower())
        if count and (match["after"] or match["later"]) and _days(count, unit) >= _SHORTEST_DAYS:
            return Term(*match.span("length"), count, unit, counted=True)
    for pattern in _SAID:
        for match in pattern.finditer(text, 0, most):
            count, unit = _count(match), _unit(match["unit"].lower())
            before = _UNLESS_ENDED.sub(" ", text[match.start() : match.start("length")])
            other = (
                _NOTICE.match(text, match.end())
                or "surviv" in text[max(match.start() - 80, 0) : match.start()]
            )
            if count and not other and not _NOT_OWN.search(before) and _days(count, unit) >= _SHORTEST_DAYS:
                return Term(*match.span("length"), count, unit, _is_counted(text, match))
    return None


def _is_counted(text: str, match: re.Match[str]) -> bool:
    """Whether its sentence says where it begins."""
    after = re.split(r"[.;]\s", text[match.end() : match.end() + _SENTENCE], maxsplit=1)[0]
    before = re.split(r"[.;]\s|\n\s*\n", text[max(match.start() - _SENTENCE, 0) : match.start()])[-1]
    return bool(_FROM_BEGINNING.search(before + match[0] + after))


def _unit(word: str) -> str:
    return _UNITS.get(word) or word.rstrip("s")


def _count(match: re.Match[str]) -> int:
    if match["digits"]:
        return int(match["digits"])
    numbers = _WORDS | _ABROAD
    return sum(numbers[word] for word in re.split(r"[-\s]+", (match["word"] or "").lower()) if word)


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
