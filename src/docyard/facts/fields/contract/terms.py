"""The term of a contract, and the date on which it ends."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import NamedTuple

_ONES = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen"),
)
_TENS = {"eighteen": 18, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
_FOREIGN_NUMBERS = {
    **dict.fromkeys(("ein", "eine", "einem", "einen", "eines", "un", "une", "uno", "una", "één"), 1),
    **dict.fromkeys(("zwei", "deux", "dos", "due", "twee"), 2),
    **dict.fromkeys(("drei", "trois", "tres", "tre", "drie"), 3),
    **dict.fromkeys(("vier", "quatre", "cuatro", "quattro"), 4),
    **dict.fromkeys(("fünf", "cinq", "cinco", "cinque", "vijf"), 5),
    **dict.fromkeys(("sechs", "seis", "sei", "zes"), 6),
    **dict.fromkeys(("zehn", "dix", "diez", "dieci", "tien"), 10),
    **dict.fromkeys(("zwölf", "douze", "doce", "dodici", "twaalf"), 12),
}
_FOREIGN_UNITS = {
    **dict.fromkeys(("jahr", "jahre", "jahren", "an", "ans", "année", "années", "año", "años"), "year"),
    **dict.fromkeys(("anno", "anni", "jaar"), "year"),
    **dict.fromkeys(("monat", "monate", "monaten", "mois", "mes", "meses", "mese", "mesi"), "month"),
    **dict.fromkeys(("maand", "maanden"), "month"),
}
_NUMBER_WORDS = {word: number for number, word in enumerate(_ONES, start=1)} | _TENS
_NUMBER_WORD = "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True))
_LENGTH = (
    rf"(?P<length>(?:(?P<word>\b(?:(?:{_NUMBER_WORD})[-\s]{{1,3}})?(?:{_NUMBER_WORD}))[-\s]{{0,3}})?"
    r"(?:\(?\s?(?P<digits>\d{1,3})\s?\)?)?[-\s]{0,3}(?P<unit>years?|months?|weeks?|days?))\b"
)
_FOREIGN_LENGTH = (
    rf"(?P<length>(?:(?P<word>\b(?:{'|'.join(_FOREIGN_NUMBERS)}))\s{{1,3}})?(?:\(?\s?(?P<digits>\d{{1,3}})\s?\)?)?"
    rf"\s{{0,3}}(?P<unit>{'|'.join(sorted(_FOREIGN_UNITS, key=len, reverse=True))}))\b"
)
_AGREEMENT = r"(?:this|the)\s{1,40}(?:\w+\s{1,40}){0,3}?(?:agreement|contract|lease|license)"
_FOREIGN_TERM = "Dauer|Laufzeit|Mietzeit|Vertragsdauer|durée|duración|durata|duur|looptijd|vigencia"
_CONTINUES = r"continue|remain|effective|effect|force|initial\s{1,40}term|have"
# Statements of the contract's own term, in order of preference.
_TERM_STATEMENTS = (
    *(
        re.compile(pattern + _LENGTH, re.IGNORECASE)
        for pattern in (
            rf"\b(?:initial\s{{1,40}})?(?:term|duration)\s{{1,40}}of\s{{1,40}}{_AGREEMENT}\b[^.;]{{0,160}}?",
            rf"\b{_AGREEMENT}\b[^.;]{{0,120}}?\b(?:{_CONTINUES})\b[^.;]{{0,120}}?",
            r"\binitial\s{1,40}(?:term|period)\b[^.;]{0,120}?",
            r"[\"“']term[\"”'][^.;]{0,120}?",
            r"\b(?:term|duration)\s{1,40}(?:shall\s{1,40}be|is|of|will\s{1,40}be)\b[^.;]{0,80}?",
        )
    ),
    re.compile(rf"\b(?:{_FOREIGN_TERM})\b[^.;]{{0,80}}?{_FOREIGN_LENGTH}", re.IGNORECASE),
)
# Matches "ends 24 months later", "ends after 18 months" or "ends five years after the effective date".
_ENDS_AFTER = re.compile(
    r"\b(?:ends?|expires?|terminates?|ending|expiring|shall\s{1,40}(?:end|expire|terminate))\s{1,40}"
    rf"(?P<after>after\s{{1,40}})?{_LENGTH}\s{{0,40}}(?:(?P<later>later\b|(?:after|from|following)\s{{1,40}}(?:the\s"
    r"{1,40}|its\s{1,40})?(?:effective|commencement|start|beginning|date\s{1,40}(?:of|hereof)))|(?=[.,;]))",
    re.IGNORECASE,
)
_UNLESS_TERMINATED = re.compile(r"\b(?:unless|subject\s{1,40}to)\b[^,.;]{0,80}\bterminat\w*[^,.;]{0,60}", re.IGNORECASE)
_OTHER_PERIOD = re.compile(
    r"\b(?:verlänger\w*|renouvel\w*|kündig\w*|préavis|preaviso|prórrog\w*|prorrog\w*|rinnov\w*|verleng\w*|opzeg\w*"
    r"|notice|renew\w*|extend\w*|extension|additional|after|following|warranty|prior|within"
    r"|surviv\w*|terminat\w*|expir\w*)\b",
    re.IGNORECASE,
)
_START = re.compile(
    r"\b(?:effective\s{1,40}date|commencement\s{1,40}date|date\s{1,40}(?:of\s{1,40}this|hereof|first)"
    r"|thereafter|commenc\w*|begin\w*|effective\s{1,40}as|beginn\w*|in\s{1,40}Kraft|vigueur|ab\s{1,40}dem|à\s{1,40}compter|desde"
    r"|a\s{1,40}partir|a\s{1,40}decorrere|vanaf|met\s{1,40}ingang)\b",
    re.IGNORECASE,
)
_NOTICE = re.compile(r"['’]?\s{1,40}(?:(?:prior|advance|written)\s{1,40}){0,3}notice\b", re.IGNORECASE)
_SENTENCE_CHARS = 220  # characters around a length in which the start may be named
_MIN_DAYS = 28  # a shorter period is a deadline, not a term


class Term(NamedTuple):
    """The length of a term at `text[start:end]`; `has_start` is set if its sentence names the start."""

    start: int
    end: int
    number: int
    unit: str
    has_start: bool


def find_term(text: str, limit: int) -> Term | None:
    """Return the initial term of a contract, or None; only the first `limit` characters are searched."""
    for match in _ENDS_AFTER.finditer(text, 0, limit):
        count, unit = _read_count(match), _normalise_unit(match["unit"].lower())
        if count and (match["after"] or match["later"]) and _convert_to_days(count, unit) >= _MIN_DAYS:
            return Term(*match.span("length"), count, unit, has_start=True)
    for pattern in _TERM_STATEMENTS:
        for match in pattern.finditer(text, 0, limit):
            count, unit = _read_count(match), _normalise_unit(match["unit"].lower())
            before = _UNLESS_TERMINATED.sub(" ", text[match.start() : match.start("length")])
            other = _NOTICE.match(text, match.end()) or "surviv" in text[max(match.start() - 80, 0) : match.start()]
            if count and not other and not _OTHER_PERIOD.search(before) and _convert_to_days(count, unit) >= _MIN_DAYS:
                return Term(*match.span("length"), count, unit, _names_start(text, match))
    return None


def _names_start(text: str, match: re.Match[str]) -> bool:
    """Return whether the sentence names the start of the term."""
    after = re.split(r"[.;]\s", text[match.end() : match.end() + _SENTENCE_CHARS], maxsplit=1)[0]
    before = re.split(r"[.;]\s|\n\s*\n", text[max(match.start() - _SENTENCE_CHARS, 0) : match.start()])[-1]
    return bool(_START.search(before + match[0] + after))


def _normalise_unit(word: str) -> str:
    return _FOREIGN_UNITS.get(word) or word.rstrip("s")


def _read_count(match: re.Match[str]) -> int:
    if match["digits"]:
        return int(match["digits"])
    numbers = _NUMBER_WORDS | _FOREIGN_NUMBERS
    return sum(numbers[word] for word in re.split(r"[-\s]+", (match["word"] or "").lower()) if word)


def _convert_to_days(count: int, unit: str) -> int:
    return count * {"year": 365, "month": 30, "week": 7, "day": 1}[unit]


def compute_end(start: date, term: Term) -> date | None:
    """Return the last day of a term, or None if that date does not exist, such as 31 June.

    A term in months or years that starts on the first day of a month ends on the last day of a month.
    """
    if term.unit in ("week", "day"):
        return start + timedelta(days=_convert_to_days(term.number, term.unit))
    months = start.month - 1 + term.number * (12 if term.unit == "year" else 1)
    try:
        end = date(start.year + months // 12, months % 12 + 1, start.day)
    except ValueError:
        return None
    return end - timedelta(days=1) if start.day == 1 else end
