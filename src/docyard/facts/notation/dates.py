"""Dates in the notations of people, programs and OCR, with one grammar for fields, mentions and titles."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date
from typing import NamedTuple

from docyard.facts.notation.conventions import UNKNOWN, Conventions
from docyard.facts.notation.months import ANY_MONTH, MONTH_BEFORE_YEAR, ORDINARY_WORDS, month_number

_YEAR = r"(?:1[5-9]|20|21)\d\d"
# Digits after one or two letters are a reference: RE12/03/18. After a longer word they are a date, and the
# space between them is missing.
_START = r"(?:(?<=\d{4}[-–])|(?<![\d.,/-])(?<!\b[^\W\d])(?<!\b[^\W\d]{2}))"
_YEAR_START = r"(?<![\d.,-])(?<!\d/)(?<!\b[^\W\d])(?<!\b[^\W\d]{2})"  # may follow a slash, as in a URL
_YEAR_FIRST = re.compile(
    rf"{_YEAR_START}(?P<year>{_YEAR})(?:(?P<mark>[-/])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)"
    r"|\.(?P<month2>\d\d)\.(?P<day2>\d\d))(?!\d|[-/.,]\d)"
    rf"|(?<!\d)(?P<year3>{_YEAR})\s?年\s?(?P<month3>\d\d?)\s?月\s?(?P<day3>\d\d?)\s?日"
)
# OCR may drop the space before the time of day: 12/03/201814:05.
_YEAR_LAST = re.compile(
    rf"{_START}(?P<first>\d\d?)\s?(?P<mark>[-/.])\s?(?P<second>\d\d?)\s?(?P=mark)\s?"
    rf"(?:(?P<year>{_YEAR})(?=\d{{1,2}}:\d\d|\D|$)(?!/\d|-\d{{3}}|[.,]\d)"
    r"|(?P<short>\d\d)(?![\w/]|[.,]\d|(?P=mark)\d|-\d{3}))"
)
_NUMBERED = re.compile(
    r"(?:version|release|v|section|clause|chapter|ziffer|punkt|figure|table|nr|no|§)\.?\s{0,3}\Z", re.IGNORECASE
)
_LINE_START = re.compile(r"(?:^|\n)[ \t]*\Z")
_WORD_NEXT = re.compile(r"\.?[ \t]{1,9}[^\W\d_]")
_MONTH = re.compile(rf"(?<![^\W\d_])(?:{ANY_MONTH})(?![^\W\d_])\.?")
_ORDINAL = r"(?:st|nd|rd|th|er|\.|º|ª|°)?"
_DAY_BEFORE = re.compile(
    rf"(?<![\d.,])(?P<day>\d\d?){_ORDINAL}(?:\s{{1,40}}day)?(?:\s{{1,40}}(?:of|del?))?(?P<gap>[\s,'.-]{{0,40}})\Z",
    re.IGNORECASE,
)
_DAY_AFTER = re.compile(r"[\s.-]{0,40}(?P<day>\d\d?)(?:st|nd|rd|th)?(?=\D)", re.IGNORECASE)
_YEAR_AFTER = re.compile(
    rf"(?:\s{{1,40}}(?:of|del?))?(?P<gap>[\s,'’.-]{{0,40}})(?:(?P<year>{_YEAR})|(?P<short>\d\d))(?!\d|[.,]\d)",
    re.IGNORECASE,
)
# Two digits are a year after a joining mark, or if only a time of day or the end of a phrase follows.
_JOINED = re.compile(r".*['’.-]\s?\Z", re.DOTALL)
_SHORT_YEAR_GAP = re.compile(r",?[ \u00a0]?['’]?")  # after month and day: Mar 12 '18, Mar 12, 18
_END_OF_DATE = re.compile(r"[ \t]{0,9}(?:$|[\n,;)|]|[ \t]{2}|\.(?!\d)|\d{1,2}:\d\d)")
_MONTH_AND_YEAR = re.compile(
    rf"(?<!\d\s)(?<!\d\.\s)(?<![\w.,/-])(?P<month>{MONTH_BEFORE_YEAR})\b\.?(?:\s{{1,3}}of)?,?\s{{1,3}}"
    rf"(?P<year>{_YEAR})(?![\w/-]|[.,]\d)"
)
_EIGHT_DIGITS = re.compile(
    r"(?<![\w.-])(?:(?P<day>\d\d)(?P<month>[01]\d)(?P<year>20\d\d)"
    r"|(?P<year2>20\d\d)(?P<month2>[01]\d)(?P<day2>\d\d))(?![\w.-])"
)
# Matches "5. 3. 2021" or "5. März 2021", for patterns that contain a date, such as those of citations.
DAY_MONTH_YEAR = rf"\d{{1,2}}\.\s{{0,3}}(?:\d{{1,2}}\.|(?:{ANY_MONTH}))\s{{0,3}}{_YEAR}"
_DAY_CHARS = 60  # characters before the name of a month that may contain its day
_MAX_CHARS = 40  # characters; a longer text is not a date
_PIVOT = 49  # two-digit years up to this one are in the 2000s, later ones in the 1900s


class WrittenDate(NamedTuple):
    """A date at `text[start:end]`; a month if it has no day."""

    start: int
    end: int
    year: int
    month: int
    day: int | None
    swappable: bool = False  # day and month are numbers that could be read the other way round
    mark: str = ""  # between the numbers of a numeric date with the year last; otherwise empty
    short_year: bool = False

    @property
    def iso(self) -> str:
        """The date as 2026-11-15, a month as 2026-11."""
        return f"{self.year:04}-{self.month:02}" + (f"-{self.day:02}" if self.day else "")

    @property
    def value(self) -> date:
        """The date; for a month, its first day."""
        return date(self.year, self.month, self.day or 1)


def find_dates(text: str, conventions: Conventions = UNKNOWN) -> list[WrittenDate]:
    """Return the dates that have a day, in text order and without overlaps."""
    found: list[WrittenDate] = []
    for each in (
        *_find_year_first(text),
        *_find_year_last(text, conventions),
        *_find_with_month_name(text, conventions),
    ):
        at = bisect_left(found, each.start, key=_get_start)
        before, after = found[at - 1 : at], found[at : at + 1]
        if not (before and before[0].end > each.start) and not (after and after[0].start < each.end):
            found.insert(at, each)
    return found


def find_months(text: str, dates: Sequence[WrittenDate], conventions: Conventions = UNKNOWN) -> Iterator[WrittenDate]:
    """Yield months with a year that are not part of one of `dates`; `dates` must be in text order."""
    for match in _MONTH_AND_YEAR.finditer(text):
        # A lower-case name does not count in English, because "may" is usually a verb.
        proper = match["month"][0].isupper() or conventions.language not in (None, "en")
        before = dates[: bisect_left(dates, match.end(), key=_get_start)][-1:]
        if proper and not (before and before[0].end > match.start()):
            month = month_number(match["month"])
            yield WrittenDate(match.start(), match.end(), int(match["year"]), month, None)


def find_eight_digit_dates(text: str) -> Iterator[WrittenDate]:
    """Yield dates written as 27032018 or 20180327, as on some receipts; other numbers may look the same."""
    for match in _EIGHT_DIGITS.finditer(text):
        year, month, day = (int(match[name] or match[f"{name}2"]) for name in ("year", "month", "day"))
        yield from _find_valid_date(match.start(), match.end(), (year, month, day))


def is_date(text: str) -> bool:
    """Return whether a text is a date and nothing else."""
    return len(text) <= _MAX_CHARS and any(each.end - each.start >= len(text.strip()) for each in find_dates(text))


def select_dates(dates: Sequence[WrittenDate], start: int, end: int) -> Sequence[WrittenDate]:
    """Return the dates that begin in this range; `dates` must be in text order."""
    return dates[bisect_left(dates, start, key=_get_start) : bisect_left(dates, end, key=_get_start)]


def find_unambiguous_orders(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the mark of each numeric date with one possible reading, and whether its day comes first."""
    for match in _YEAR_LAST.finditer(text):
        first, second = int(match["first"]), int(match["second"])
        if (first > 12) != (second > 12) and max(first, second) <= 31:
            yield match["mark"], first > 12


def _get_start(each: WrittenDate) -> int:
    return each.start


def _find_valid_date(start: int, end: int, *readings: tuple[int, int, int]) -> Iterator[WrittenDate]:
    """Yield the first of these readings (year, month, day) that is a valid date, if any."""
    for reading in readings:
        with suppress(ValueError):
            date(*reading)
            yield WrittenDate(start, end, *reading)
            return


def _find_year_first(text: str) -> Iterator[WrittenDate]:
    for match in _YEAR_FIRST.finditer(text):
        parts = match.groupdict()
        year, month, day = (
            int(next(value for at in ("", "2", "3") if (value := parts.get(name + at))))
            for name in ("year", "month", "day")
        )
        yield from _find_valid_date(match.start(), match.end(), (year, month, day))


def _find_year_last(text: str, conventions: Conventions) -> Iterator[WrittenDate]:
    for match in _YEAR_LAST.finditer(text):
        if match["short"] and _is_section_number(text, match, conventions):
            continue
        first, second, year = int(match["first"]), int(match["second"]), _read_year(match)
        readings = ((year, second, first), (year, first, second))
        likelier_first = readings if _is_day_first(match["mark"], conventions) else readings[::-1]
        for each in _find_valid_date(match.start(), match.end(), *likelier_first):
            swappable = max(first, second) <= 12 and first != second
            yield each._replace(swappable=swappable, mark=match["mark"], short_year=bool(match["short"]))


def _is_section_number(text: str, match: re.Match[str], conventions: Conventions) -> bool:
    """Return whether a match is a section or version number: "version 1.2.20", "11.1.10 Registration"."""
    if _NUMBERED.search(text, max(match.start() - 12, 0), match.start()):
        return True
    heads_line = _LINE_START.search(text, max(match.start() - 20, 0), match.start())
    english = conventions.language in (None, "en") and match["mark"] == "."
    return bool(english and heads_line and _WORD_NEXT.match(text, match.end()))


def _is_day_first(mark: str, conventions: Conventions) -> bool:
    return conventions.day_first_with_dots if mark == "." else conventions.day_first


def _find_with_month_name(text: str, conventions: Conventions) -> Iterator[WrittenDate]:
    for match in _MONTH.finditer(text):
        name = match[0].rstrip(".").casefold()
        if name in ORDINARY_WORDS and conventions.language == "en":
            continue
        readings = [*_read_day_month_year(text, match, name), *_read_month_day_year(text, match, name)]
        # A year of four digits is preferred: "1 - July 31, 2014" is a period, not the first of July 2031.
        yield from sorted(readings, key=lambda each: each.short_year)[:1]


def _read_day_month_year(text: str, match: re.Match[str], name: str) -> list[WrittenDate]:
    before = _DAY_BEFORE.search(text, max(match.start() - _DAY_CHARS, 0), match.start())
    year = _YEAR_AFTER.match(text, match.end())
    if before is None or year is None or not _is_year(text, year):
        return []
    if year["short"] and not _have_same_join(before["gap"], year["gap"]):
        return []
    return _make_named(before.start(), year, name, int(before["day"]))


def _have_same_join(before: str, after: str) -> bool:
    """Return whether day and short year are joined to the month in the same way: 12-Mar-18, 12 Mar '18."""
    return before.strip() == after.strip("'’ ") and "," not in before and "\n" not in before + after


def _read_month_day_year(text: str, match: re.Match[str], name: str) -> list[WrittenDate]:
    day = _DAY_AFTER.match(text, match.end())
    year = _YEAR_AFTER.match(text, day.end()) if day else None
    if day is None or year is None or not year["gap"] or not _is_year(text, year):
        return []
    if year["short"] and not _SHORT_YEAR_GAP.fullmatch(year["gap"]):
        return []
    return _make_named(match.start(), year, name, int(day["day"]))


def _make_named(start: int, year: re.Match[str], name: str, day: int) -> list[WrittenDate]:
    found = _find_valid_date(start, year.end(), (_read_year(year), month_number(name), day))
    return [each._replace(short_year=bool(year["short"])) for each in found]


def _is_year(text: str, year: re.Match[str]) -> bool:
    return bool(year["year"] or _JOINED.match(year["gap"]) or _END_OF_DATE.match(text, year.end()))


def _read_year(match: re.Match[str]) -> int:
    if match["year"]:
        return int(match["year"])
    short = int(match["short"])
    return short + (2000 if short <= _PIVOT else 1900)
