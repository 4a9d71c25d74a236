"""Currencies by their signs, codes and words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from docyard.facts.notation.lexicon import load_words, one_of

_DATA = load_words("currencies")
_SIGNS: dict[str, str] = _DATA["signs"]
_WORDS: dict[str, str] = {word: code for code, words in _DATA["words"].items() for word in words}
_CODES: frozenset[str] = frozenset(_DATA["codes"]["all"])
_CROWNS: dict[str, str] = _DATA["crowns"]
_CROWN = "kr"
DOLLAR = "$"  # in place of a code, if it is unclear which dollar is meant
# "Fr." is left out, because it is often short for Friday or a title. Signs are case-sensitive: "rm" is often
# a room, and "rs" a variable.
_CERTAIN_SIGNS = [sign for sign in _SIGNS if sign != "Fr."]
_WORDS_AFTER_AMOUNT = [*_WORDS, *(word.capitalize() for word in _WORDS), "EURO", "EUROS"]


def _make_pattern(words: list[str]) -> str:
    """Return a pattern for any of these words.

    It tests the first character separately, which halves the time spent on numbers.
    """
    first = "".join(sorted({re.escape(word[0]) for word in words}))
    return rf"(?=[{first}])(?:{one_of(words)})"


BEFORE_AMOUNT = _make_pattern([*_CERTAIN_SIGNS, *_CODES, _CROWN, "Euro", "EURO"])
AFTER_AMOUNT = _make_pattern([*_CERTAIN_SIGNS, *_CODES, _CROWN, *_WORDS_AFTER_AMOUNT])
_ANYWHERE = re.compile(
    rf"(?<![A-Za-z])(?:{_make_pattern([*_CERTAIN_SIGNS, *_CODES, 'Euro', 'EURO', 'EUROS'])})(?![A-Za-z])"
)


class NamedCurrency(NamedTuple):
    """A currency named at `text[start:end]`."""

    start: int
    end: int
    code: str


def currency_code(written: str, language: str | None = None) -> str | None:
    """Return the ISO code of the currency with this sign, code or name; `DOLLAR` for any dollar; None if unknown."""
    if written.lower() == _CROWN:
        return _CROWNS.get(language or "")
    if written in _CODES:
        return "CNY" if written == "RMB" else written
    return _SIGNS.get(written) or _SIGNS.get(written.rstrip(".")) or _WORDS.get(written.lower())


def find_currencies(text: str) -> Iterator[NamedCurrency]:
    """Yield the currencies that a text names by a sign, a code or the word "Euro"."""
    for match in _ANYWHERE.finditer(text):
        yield NamedCurrency(match.start(), match.end(), currency_code(match[0]) or "")


def remove_currencies(text: str) -> str:
    """Replace each currency with a blank."""
    return _ANYWHERE.sub(" ", text)
