"""Decide once for a document how its dates and numbers are to be read, from everything it says."""

from __future__ import annotations

import re
from collections.abc import Iterable

from docyard.facts.notation.conventions import Conventions, Evidence
from docyard.facts.notation.dates import find_dates, find_unambiguous_orders
from docyard.facts.notation.lexicon import load_words
from docyard.facts.notation.regions import is_american

_COMMA_LANGUAGES = frozenset(load_words("number_scales")["decimal_comma"]["languages"])
_TWO_DECIMALS = re.compile(
    r"(?<![\d.,/:-])\d{1,3}(?:[.,' \u00a0]\d{3})*(?P<point>[.,])\d\d(?![\d%]|[.,/:-]\d|\s%)"
)
_MOST_CHARS = 600_000  # a longer document shows its conventions before its end


def read_conventions(texts: Iterable[str], language: str | None) -> Conventions:
    """Return the conventions of a document with these pages."""
    text = "\n".join(texts)[:_MOST_CHARS]
    day_first, order = _read_order(text, language)
    return Conventions(language, day_first, order, _read_decimal_comma(text, language))


def _read_order(text: str, language: str | None) -> tuple[bool, Evidence]:
    """Return whether the day comes before the month, and what shows it."""
    votes = [1 if day_first else -1 for day_first in find_unambiguous_orders(text)]
    votes = votes if sum(votes) else list(_compare_with_written_dates(text))
    if sum(votes):
        return sum(votes) > 0, Evidence.DATES
    if language not in (None, "en"):
        return True, Evidence.LANGUAGE
    if is_american(text):
        return False, Evidence.REGION
    return True, Evidence.NONE


def _compare_with_written_dates(text: str) -> Iterable[int]:
    """Yield a vote for each numeric date of which one reading is also written with the month's name."""
    dates = find_dates(text)
    named = {(each.year, each.month, each.day) for each in dates if not each.mark}
    for each in dates:
        as_read = (each.year, each.month, each.day) in named
        swapped = (each.year, each.day, each.month) in named
        if each.swappable and as_read != swapped:
            yield 1 if as_read else -1


def _read_decimal_comma(text: str, language: str | None) -> bool | None:
    marks = [match["point"] for match in _TWO_DECIMALS.finditer(text)]
    commas = marks.count(",")
    if len(marks) != 2 * commas:
        return commas * 2 > len(marks)
    return language in _COMMA_LANGUAGES if language is not None else None
