"""Sums of money: currency, decimals and thousands as the text's language writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from docyard.facts.entities.spans import Found
from docyard.facts.notation.currencies import CODES, SIGNS, WORDS, any_of

_KRONE = {"sv": "SEK", "no": "NOK", "nb": "NOK", "da": "DKK"}
_TIMES = {
    "thousand": 3, "million": 6, "millions": 6, "billion": 9, "billions": 9, "trillion": 12, "mn": 6, "mm": 6,
    "bn": 9, "k": 3, "m": 6, "b": 9, "tsd.": 3, "tsd": 3, "tausend": 3, "mio.": 6, "mio": 6, "millionen": 6,
    "mrd.": 9, "mrd": 9, "milliarde": 9, "milliarden": 9, "milliard": 9, "milliards": 9, "mille": 3,
    "millones": 6, "milioni": 6, "miljoen": 6, "milhões": 6,
}  # fmt: skip
_LONG_SCALE = {"billion": 12, "billionen": 12, "billions": 12}  # in languages that have a word for 10⁹
_SHORT_TIMES = {"k", "m", "b", "mm", "mille"}  # only with a sign right before the number


_NUMBER = (
    r"\d{1,3}(?P<gap>[,.'’\u00a0\u202f ])\d{3}(?:(?P=gap)\d{3})*(?!\d)(?:[.,]\d{1,2}(?!\d))?|\d+(?:[.,]\d+)?"
)
_SCALE = rf"(?:[ \u00a0]?(?P<times>{any_of([*_TIMES, *_LONG_SCALE])})(?![\w]))?"
_BEFORE = re.compile(
    rf"(?<![\w.,])(?P<unit>{any_of(SIGNS)}"
    rf"|\b(?:{any_of([*CODES, 'kr'])}))[ \u00a0]?(?:{any_of(['€', '$', '£'])})?"
    rf"[ \u00a0]?(?P<number>{_NUMBER})(?![\d])(?:,?[-–—](?!\w))?{_SCALE}",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"(?<![\w.,/-])(?P<number>{_NUMBER})(?![\d])(?:,?[-–—])?{_SCALE}[ \u00a0]?(?:d['’]|de )?"
    rf"(?P<unit>(?:{any_of([*CODES, *WORDS, 'kr'])})\b|{any_of(SIGNS)})(?!\w)",
    re.IGNORECASE,
)
_SURE, _AMBIGUOUS = 0.96, 0.8
_DECIMAL_COMMA = (
    "de",
    "fr",
    "es",
    "it",
    "nl",
    "pt",
    "pl",
    "cs",
    "da",
    "sv",
    "no",
    "nb",
    "fi",
    "tr",
    "ru",
    "hu",
)


def money(text: str, language: str | None) -> Iterator[Found]:
    """All sums; the normal form is EUR 1234.50."""
    before, behind = list(_BEFORE.finditer(text)), list(_BEHIND.finditer(text))
    # In a row of sums a unit stands between two numbers; the way that fits more often is the text's own.
    for matches in (behind, before) if len(behind) > len(before) else (before, behind):
        for match in matches:
            currency = _currency(match["unit"], language)
            if currency is None or not _proper(match, matches is before):
                continue
            amount, sure = amount_of(match["number"], language)
            amount = amount.scaleb(_power(match["times"], language))
            normal = f"{currency} {_two_decimals(amount)}"
            yield Found("money", match.start(), match.end(), normal, _SURE if sure else _AMBIGUOUS)


def _currency(unit: str, language: str | None) -> str | None:
    if unit.lower() == "kr":
        return _KRONE.get(language or "")
    if unit.upper() in CODES:
        return "CNY" if unit.upper() == "RMB" else unit.upper() if unit.isupper() else None
    signs = {sign.lower(): code for sign, code in SIGNS.items()}
    return SIGNS.get(unit) or WORDS.get(unit.lower()) or (signs.get(unit.lower()) if len(unit) < 3 else None)


def _proper(match: re.Match[str], unit_first: bool) -> bool:
    """Leaves out what only looks like money: "RM 3" is a room, "5 m $" is nothing, "rs 5" a variable."""
    if match["unit"] in ("rm", "Rm", "rs", "RS", "fr.", "FR."):
        return False
    short = (match["times"] or "").lower() in _SHORT_TIMES
    return not short or (unit_first and not match["unit"].isalpha())


def _power(times: str | None, language: str | None) -> int:
    word = (times or "").lower()
    if not word:
        return 0
    if word in _LONG_SCALE and language in _DECIMAL_COMMA:
        return _LONG_SCALE[word]
    return _TIMES.get(word, _LONG_SCALE.get(word, 0))


def amount_of(written: str, language: str | None) -> tuple[Decimal, bool]:
    """A number as it is meant, and whether it can be read in one way only."""
    digits = re.sub(r"['’\u00a0\u202f ]", "", written)
    marks = [mark for mark in digits if mark in ".,"]
    if not marks:
        return Decimal(digits), True
    last = marks[-1]
    if len(set(marks)) == 2:
        other = "," if last == "." else "."
        return Decimal(digits.replace(other, "").replace(last, ".")), True
    tail = digits.rpartition(last)[2]
    if len(marks) > 1:
        return Decimal(digits.replace(last, "")), True
    thousands = "." if language in _DECIMAL_COMMA else ","
    if len(tail) == 3 and last == thousands and not digits.startswith("0"):
        return Decimal(digits.replace(last, "")), last == ","
    return Decimal(digits.replace(last, ".")), len(tail) != 3


def _two_decimals(amount: Decimal) -> str:
    plain = f"{amount:f}"
    whole, _, part = plain.partition(".")
    return f"{whole}.{part.rstrip('0').ljust(2, '0')}"
