"""Hints at the country of a document, for the order of its dates and the currency of a "$" sign."""

from __future__ import annotations

import re

from docyard.facts.notation.lexicon import load_words, one_of

_DATA = load_words("regions")
AMERICAN_STATE = one_of([*_DATA["american_states"], "Georgia"])
_UNITED_STATES = re.compile(
    rf"\b(?:{one_of(_DATA['state_codes'])}),? \d{{5}}(?:-\d{{4}})?\b"
    r"|\bUSA\b|\bU\.S\.|\bEIN\b|\bState of [A-Z]|,? Inc\.|,? INC\b|\bLLC\b"
    rf"|\b(?:United States|{one_of(_DATA['american_states'])})\b"
)
_DAY_FIRST = re.compile(
    r"\b(?:EWHC|EWCA|UKSC|UKUT|England|Scotland|Ireland|Tribunals?|Australia|New Zealand|Singapore)\b"
)
# Codes and signs of dollars, and hints at the country of a document with a bare "$".
_DOLLARS = {
    "USD": r"\bUSD\b|\bUS\$|\bU\.S\.\$",
    "AUD": r"\bAUD\b|\bAU?\$",
    "CAD": r"\bCAD\b|\bCA?\$",
    "NZD": r"\bNZD\b|\bNZ\$",
    "SGD": r"\bSGD\b|\bS\$",
    "HKD": r"\bHKD\b|\bHK\$",
    "MXN": r"\bMXN\b|\bMX\$",
}
DOLLAR_CODES = frozenset(_DOLLARS)
_COUNTRIES = {
    "USD": rf"\b(?:{one_of(_DATA['state_codes'])}),? \d{{5}}(?:-\d{{4}})?\b|\bUSA\b|\bU\.S\.|\bEIN\b"
    rf"|\b(?:United States|{one_of(_DATA['american_states'])})\b|\.(?:gov|us)\b",
    "AUD": r"\bABN\b|\bAustralia\b|\b(?:NSW|VIC|QLD|TAS|ACT|SA|WA|NT)\s{1,2}\d{4}\b|\.au\b",
    "CAD": r"\b(?:HST|TVQ|Canada)\b|\b[A-Z]\d[A-Z] ?\d[A-Z]\d\b|\w\.ca\b",
    "NZD": r"\bNew Zealand\b|\bNZBN\b|\.nz\b",
    "SGD": r"\bSingapore\b|\.sg\b",
    "HKD": r"\bHong Kong\b|\.hk\b",
    "MXN": r"\bM[ée]xico\b(?<!New Mexico)|\.mx\b",
}
_MAJORITY = 3  # how many times as many hints as all other countries together


def is_day_first_region(text: str) -> bool | None:
    """Return whether the day comes first in the country that an English text suggests; None if unknown."""
    american, others = len(_UNITED_STATES.findall(text)), len(_DAY_FIRST.findall(text))
    if american != others:
        return others > american
    return False if "$" in text and find_dollar(text) in (None, "USD") else None


def find_dollar(text: str) -> str | None:
    """Return the code of the currency that a bare "$" means in this document, or None if it is unclear.

    Codes and signs such as "C$" decide, else addresses, domains and other hints at a country.
    """
    named = [code for code, signs in _DOLLARS.items() if re.search(signs, text)]
    if named:
        return named[0] if len(named) == 1 else None
    hints = {code: len(re.findall(pattern, text)) for code, pattern in _COUNTRIES.items()}
    likeliest = max(hints, key=lambda code: hints[code])
    others = sum(hints.values()) - hints[likeliest]
    return likeliest if hints[likeliest] and hints[likeliest] >= _MAJORITY * others else None
