"""Dates as people write them, in the order of day and month that the text's language has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from docyard.facts.entities.spans import Found
from docyard.facts.notation.months import ANY_MONTH, MONTH_ALONE, WORDS_TOO, month

_DAY = r"(?P<day>[0-3]?\d)"
_MONTH = rf"(?P<month>{ANY_MONTH})\b\.?"
_YEAR = r"(?P<year>1[5-9]\d\d|20\d\d|21\d\d)"
_BEFORE, _AFTER = r"(?<![\w.,/-])", r"(?![\w/-]|[.,]\d)"
_ORDINAL = r"(?:st|nd|rd|th|er|º|ª|°|\.)?"
_OF = r"(?:\s+(?:day\s+)?(?:of|de|del)\s+|[\s-]+|\.\s*)"
_THEN = r"(?:\s*,\s*|\s+(?:de|del|of)\s+|[\s-]+|\s*)"

_WRITTEN = (
    re.compile(rf"{_BEFORE}{_DAY}{_ORDINAL}{_OF}{_MONTH}{_THEN}{_YEAR}{_AFTER}", re.IGNORECASE),
    re.compile(rf"{_BEFORE}{_MONTH}\s*{_DAY}(?:st|nd|rd|th)?\s*,?\s*{_YEAR}{_AFTER}", re.IGNORECASE),
    re.compile(rf"{_BEFORE}{_DAY}-{_MONTH}-(?P<year>\d\d){_AFTER}", re.IGNORECASE),
)
_MONTH_ALONE = re.compile(
    rf"(?<!\d\s)(?<!\d\.\s)(?<![\w.,/-])(?P<month>{MONTH_ALONE})\b\.?(?:\s+of)?,?\s+{_YEAR}{_AFTER}",
    re.IGNORECASE,
)
_ISO = re.compile(rf"(?<![\w.-]){_YEAR}([-/.])(?P<month>[01]\d)\2(?P<day>[0-3]\d)(?!\d|[-/.]\d)")
_EAST = re.compile(rf"(?<!\d){_YEAR}\s*年\s*(?P<month>[01]?\d)\s*月\s*(?P<day>[0-3]?\d)\s*日")
_NUMBERS = re.compile(
    rf"{_BEFORE}(?P<first>[0-3]?\d)\s?(?P<sign>[./-])\s?(?P<second>[0-3]?\d)\s?(?P=sign)\s?"
    r"(?P<year>1[5-9]\d\d|20\d\d|21\d\d|\d\d)(?![\w/-]|[.,]\d)"
)
_NUMBERED = re.compile(
    r"(?:version|release|v|section|clause|chapter|ziffer|punkt|figure|table|nr|no|§)\.?\s*$", re.IGNORECASE
)
_SURE, _LIKELY, _GUESSED, _PARTLY, _SHORT_YEAR = 0.98, 0.93, 0.7, 0.9, 0.125
_LATEST_SHORT = 49  # a year of two digits up to here is of this century


def dates(text: str, language: str | None) -> Iterator[Found]:
    """All dates; their normal form is 2026-11-15, or 2026-11 where no day is said."""
    for pattern in (*_WRITTEN, _ISO, _EAST):
        for match in pattern.finditer(text):
            if not (language in (None, "en") and match["month"].casefold() in WORDS_TOO):
                yield from _found(match, _month(match["month"]), int(match["day"]), _SURE)
    yield from _numbers(text, language)
    for match in _MONTH_ALONE.finditer(text):
        if match["month"][:1].isupper() or language not in (None, "en"):
            normal = f"{match['year']}-{_month(match['month']):02}"
            yield Found("date", match.start(), match.end(), normal, _PARTLY)


def _month(word: str) -> int:
    return int(word) if word.isdigit() else month(word)


def _found(match: re.Match[str], month: int, day: int, confidence: float) -> Iterator[Found]:
    try:
        normal = date(_year(match["year"]), month, day).isoformat()
    except ValueError:
        return
    yield Found("date", match.start(), match.end(), normal, confidence)


def _year(digits: str) -> int:
    year = int(digits)
    if len(digits) > 2:
        return year
    return year + (2000 if year <= _LATEST_SHORT else 1900)


def _numbers(text: str, language: str | None) -> Iterator[Found]:
    """Day and month as numbers: a date that can be read in one way only tells how to read the others."""
    matches = [
        match
        for match in _NUMBERS.finditer(text)
        if not _NUMBERED.search(text[max(0, match.start() - 12) : match.start()])
    ]
    for sign in "./-":
        same = [match for match in matches if match["sign"] == sign]
        told = _told_order(same)
        for match in same:
            first, second = int(match["first"]), int(match["second"])
            plain = max(first, second) > 12 or first == second
            month_first = _month_first(match, told, language)
            month, day = (first, second) if month_first else (second, first)
            sure = plain or told is not None or sign == "." or language not in (None, "en")
            confidence = (_LIKELY if sure else _GUESSED) - (_SHORT_YEAR if len(match["year"]) == 2 else 0.0)
            yield from _found(match, month, day, confidence)


def _told_order(matches: list[re.Match[str]]) -> bool | None:
    """Whether the month stands first, where some date says so and none contradicts."""
    month_first = any(int(match["second"]) > 12 for match in matches)
    day_first = any(int(match["first"]) > 12 for match in matches)
    return month_first if month_first != day_first else None


def _month_first(match: re.Match[str], told: bool | None, language: str | None) -> bool:
    if int(match["first"]) > 12:
        return False
    if int(match["second"]) > 12:
        return True
    if told is not None:
        return told
    return match["sign"] != "." and language in (None, "en")
