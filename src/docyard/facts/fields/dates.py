"""Dates as people write them, each with its place and its ISO form."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from docyard.facts.notation.months import ANY_MONTH, month

_MONTH = rf"(?P<month>{ANY_MONTH})\b\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d|\d\d)"
_NO_DIGIT_AFTER = r"(?!\d|[.,]\d)"
# A scanner often leaves out the space before the time of day: 12/03/201814:05.
_OR_TIME = r"(?=\d{1,2}:\d\d|\D|$)"
_ISO = (
    r"(?<![\d.])(?P<year>(?:19|20)\d\d)(?P<mark>[-/.])(?P<m>\d\d?)(?P=mark)(?P<d>\d\d?)" rf"{_NO_DIGIT_AFTER}"
)
_NUMBERS = (
    r"(?<![\d.,/-])(?P<a>\d\d?)\s?(?P<mark>[-/.])\s?(?P<b>\d\d?)\s?(?P=mark)\s?"
    rf"(?:(?P<year>(?:19|20)\d\d){_OR_TIME}|(?P<short>\d\d)(?!\d|[.,]\d|(?P=mark)\d))"
)
_DAY_MONTH = (
    rf"(?<![\d.,])(?P<d>\d\d?)(?:st|nd|rd|th|er|\.)?(?:\s{{1,40}}day)?(?:\s{{1,40}}(?:of"
    rf"|de))?[\s,'.-]*{_MONTH}"
    rf"(?:\s{{1,40}}(?:de|del))?[\s,'’.-]*{_YEAR}{_NO_DIGIT_AFTER}"
)
_MONTH_DAY = (
    rf"\b{_MONTH}[\s.-]*(?P<d>\d\d?)(?:st|nd|rd|th)?(?:\s{{0,40}},\s{{0,40}}|[\s'-]+)"
    rf"(?P<year>(?:19|20)\d\d|\d\d(?=\D*$|\s)){_NO_DIGIT_AFTER}"
)
_PATTERNS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in (_ISO, _NUMBERS, _DAY_MONTH, _MONTH_DAY))
_PACKED = re.compile(
    r"(?<![\w.-])(?:(?P<day>\d\d)(?P<month>[01]\d)(?P<year>20\d\d)"
    r"|(?P<year2>20\d\d)(?P<month2>[01]\d)(?P<day2>\d\d))(?![\w.-])"
)
_LONGEST = 40  # letters of a day
_EARLIEST, _LATEST = 1900, 2100


class Dated(NamedTuple):
    """`text[start:end]` is this day; `sure` where day and month cannot be the other way round."""

    start: int
    end: int
    day: date
    sure: bool = True

    @property
    def iso(self) -> str:
        """The day as 2026-11-15."""
        return self.day.isoformat()


def dates_in(text: str, *, day_first: bool = True) -> list[Dated]:
    """The dates of a text in their order; where numbers can be read in two ways, as told."""
    found: list[Dated] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            dated = _dated(match, day_first=day_first)
            at = bisect_left(found, match.start(), key=_start)
            after = at == len(found) or found[at].start >= match.end()
            if dated is not None and after and (at == 0 or found[at - 1].end <= match.start()):
                found.insert(at, dated)
    return found


def is_whole_date(text: str) -> bool:
    """Whether a text is a day and nothing else."""
    return len(text) <= _LONGEST and any(
        each.end - each.start >= len(text.strip()) for each in dates_in(text)
    )


def _start(dated: Dated) -> int:
    return dated.start


def between(dates: Sequence[Dated], start: int, end: int) -> Sequence[Dated]:
    """Those of the dates in their order that begin there."""
    return dates[bisect_left(dates, start, key=_start) : bisect_left(dates, end, key=_start)]


def packed_dates_in(text: str) -> list[Dated]:
    """Days written as eight figures, 27032018 or 20180327, as some tills do; other numbers look so too."""
    found: list[Dated] = []
    for match in _PACKED.finditer(text):
        year, number, day = (int(match[name] or match[f"{name}2"]) for name in ("year", "month", "day"))
        try:
            found.append(Dated(match.start(), match.end(), date(year, number, day)))
        except ValueError:
            continue
    return found


def day_first_in(text: str) -> bool | None:
    """What the dates of a text that can be read in one way only say of the others; None where there are"
    " none."""
    votes = [vote for match in _PATTERNS[1].finditer(text) if (vote := _vote(match)) is not None]
    return sum(votes) * 2 >= len(votes) if votes else None


def _vote(match: re.Match[str]) -> bool | None:
    a, b = int(match["a"]), int(match["b"])
    return a > 12 if (a > 12) != (b > 12) and max(a, b) <= 31 else None


def _dated(match: re.Match[str], *, day_first: bool) -> Dated | None:
    parts = match.groupdict()
    year = _full_year(parts["year"] or parts["short"]) if "short" in parts else _full_year(parts["year"])
    for number, (month_number, day) in enumerate(_readings(parts, day_first=day_first)):
        try:
            when = date(year, month_number, day)
        except ValueError:
            continue
        both = (
            "a" in parts
            and parts["a"] != parts["b"]
            and number == 0
            and int(parts["a"]) < 13 > int(parts["b"])
        )
        return Dated(match.start(), match.end(), when, not both) if _EARLIEST < year < _LATEST else None
    return None


def _readings(parts: dict[str, str | None], *, day_first: bool) -> Iterator[tuple[int, int]]:
    """Month and day, the likelier reading first."""
    if "a" in parts:
        a, b = int(parts["a"] or 0), int(parts["b"] or 0)
        yield from ((b, a), (a, b)) if day_first else ((a, b), (b, a))
    elif parts.get("m"):
        yield int(parts["m"] or 0), int(parts["d"] or 0)
    else:
        yield month(parts["month"] or ""), int(parts["d"] or 0)


def _full_year(digits: str | None) -> int:
    year = int(digits or 0)
    return year if year > 99 else year + (2000 if year < 70 else 1900)
