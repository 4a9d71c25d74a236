"""Names of months."""

from __future__ import annotations

from docyard.facts.notation.lexicon import load_words, one_of_any_case


def _number_names(*tables: str) -> dict[str, int]:
    names = load_words("months")
    return {
        name: number
        for table in tables
        for months in names[table].values()
        for number, spellings in enumerate(months, start=1)
        for name in spellings.split()
    }


_MONTHS = _number_names("full", "short", "ordinary_words")
# Words that name a month only next to a day and a year.
ORDINARY_WORDS = frozenset(_number_names("ordinary_words"))
FULL_NAMES = frozenset(_number_names("full"))

ANY_MONTH = one_of_any_case(_MONTHS)
MONTH_BEFORE_YEAR = one_of_any_case(_number_names("full", "short"))


def is_month(word: str) -> bool:
    """Return whether a word is the full name of a month."""
    return word.casefold() in FULL_NAMES


def month_number(name: str) -> int:
    """Return the number of the month with this name; raise KeyError for an unknown name."""
    return _MONTHS[name.casefold()]
