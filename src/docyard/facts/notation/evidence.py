"""Evidence in a document for its conventions for dates and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from docyard.facts.notation.conventions import Conventions, OrderEvidence
from docyard.facts.notation.currencies import AFTER_AMOUNT, BEFORE_AMOUNT
from docyard.facts.notation.dates import WrittenDate, find_dates, find_unambiguous_orders
from docyard.facts.notation.lexicon import load_words
from docyard.facts.notation.regions import find_dollar, is_day_first_region
from docyard.model.text.pages import Page

_COMMA_LANGUAGES = frozenset(load_words("number_scales")["decimal_comma"]["languages"])
_TWO_DECIMALS = re.compile(r"(?<![\d.,/:-])\d{1,3}(?:[.,' \u00a0]\d{3})*(?P<point>[.,])\d\d(?![\d%]|[.,/:-]\d|\s%)")
_CURRENCY_BEFORE = re.compile(rf"(?<![\w.,])(?:{BEFORE_AMOUNT})[ \u00a0]?[-−]?\d")
_CURRENCY_AFTER = re.compile(rf"\d[ \u00a0]?(?:{AFTER_AMOUNT})(?!\w)")
_YEAR_FIRST = re.compile(r"\d{4}")
_DOLLAR = re.compile(r"\$|[Dd]ollar")
# English documents of these types are mostly American.
_MONTH_FIRST_TYPES = ("court_opinion", "filing", "court_list")
_MAX_CHARS = 600_000  # the rest of a longer document is ignored


def read_conventions(pages: Iterable[Page], language: str | None, kind: str | None = None) -> Conventions:
    """Return the conventions of a document with these pages, of this language and type."""
    text = "\n".join(page.text for page in pages)[:_MAX_CHARS]
    day_first, order = _read_order(text, language, kind)
    return Conventions(
        language,
        day_first,
        order,
        day_first_with_dots=_compare_numeric_dates(text, ".") >= 0,
        decimal_comma=_read_decimal_comma(text, language),
        currency_first=_writes_currency_first(text),
        dollar=find_dollar(text) if _DOLLAR.search(text) else None,
    )


def _read_order(text: str, language: str | None, kind: str | None) -> tuple[bool, OrderEvidence]:
    """Return whether the day comes before the month, and the evidence for it."""
    vote = _compare_numeric_dates(text, "/-.")
    dates = [] if vote else find_dates(text)
    vote = vote or sum(_compare_with_written_dates(dates))
    if vote:
        return vote > 0, OrderEvidence.DATES
    if language not in (None, "en"):
        return True, OrderEvidence.LANGUAGE
    region, style = is_day_first_region(text), sum(_compare_written_order(text, dates))
    if region is not None or style:
        return style > 0 if region is None else region, OrderEvidence.REGION
    return kind not in _MONTH_FIRST_TYPES, OrderEvidence.NONE


def _compare_numeric_dates(text: str, marks: str) -> int:
    """Return the number of unambiguous numeric dates with the day first, less those with the month first."""
    return sum(1 if day_first else -1 for mark, day_first in find_unambiguous_orders(text) if mark in marks)


def _compare_with_written_dates(dates: Sequence[WrittenDate]) -> Iterator[int]:
    """Yield 1 (day first) or -1 for each ambiguous date that the text repeats in another notation."""
    named = {(each.year, each.month, each.day) for each in dates if not each.mark}
    for each in dates:
        as_read = (each.year, each.month, each.day) in named
        swapped = (each.year, each.day, each.month) in named
        if each.swappable and as_read != swapped:
            yield 1 if as_read else -1


def _compare_written_order(text: str, dates: Sequence[WrittenDate]) -> Iterator[int]:
    """Yield 1 for each date such as 4 March 2026, and -1 for each such as March 4, 2026.

    Dates such as 2026-03-04 are used in all countries.
    """
    for each in dates:
        if not each.mark and not each.short_year and not _YEAR_FIRST.match(text, each.start):
            yield 1 if text[each.start].isdigit() else -1


def _writes_currency_first(text: str) -> bool:
    return len(_CURRENCY_BEFORE.findall(text)) >= len(_CURRENCY_AFTER.findall(text))


def _read_decimal_comma(text: str, language: str | None) -> bool | None:
    marks = [match["point"] for match in _TWO_DECIMALS.finditer(text)]
    commas = marks.count(",")
    if len(marks) != 2 * commas:
        return commas * 2 > len(marks)
    return language in _COMMA_LANGUAGES if language is not None else None
