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
_OTHER = ""  # a country with dollars or pesos whose code is not known here
# Codes and signs of dollars, and hints at the country of a document with a bare "$".
_DOLLARS = {
    "USD": r"\bUSD\b|\bUS\$|\bU\.S\.\$",
    "AUD": r"\bAUD\b|\bAU?\$",
    "CAD": r"\bCAD\b|\bCA?\$",
    "NZD": r"\bNZD\b|\bNZ\$",
    "SGD": r"\bSGD\b|\bS\$",
    "HKD": r"\bHKD\b|\bHK\$",
    "MXN": r"\bMXN\b|\bMX\$|\d {0,2}M\.N\.",
}
DOLLAR_CODES = frozenset(_DOLLARS)
_STATE = one_of(_DATA["american_states"])
_CERTAIN_STATE = one_of([state for state in _DATA["american_states"] if state not in _DATA["ambiguous_states"]])
_COUNTRIES = {
    "USD": rf"\b(?:{one_of(_DATA['state_codes'])}),? \d{{5}}(?:-\d{{4}})?\b|\bUSA\b|\bU\.S\.|\bEIN\b"
    rf"|\b(?:United States|{_CERTAIN_STATE})\b|\b(?:[Ss]tate|[Cc]ommonwealth|[Ll]aws) of (?:{_STATE})\b"
    rf"|, (?:{_STATE})\b|\b(?:{_STATE}) (?:corporation|limited|law|statutes?|courts?)\b|\.(?:gov|us)\b(?!\.\w)",
    "AUD": r"\bABN\b|\bAustralia\b|\b(?:NSW|VIC|QLD|TAS|SA|WA|NT)\s{1,2}\d{4}\b"
    r"|(?:[a-z]|CANBERRA),?\s{1,2}ACT\s{1,2}\d{4}\b|\.au\b",
    "CAD": r"\b(?:HST|TVQ|Canada)\b|\b[A-Z]\d[A-Z] ?\d[A-Z]\d\b|\w\.ca\b",
    "NZD": r"\bNew Zealand\b|\bNZBN\b|\.nz\b",
    "SGD": r"\bSingapore\b|\.sg\b",
    "HKD": r"\bHong Kong\b|\.hk\b",
    "MXN": r"\bM[ée]xico\b(?<!New Mexico)|\.mx\b",
    _OTHER: rf"\b(?:{one_of(_DATA['other_dollars'])})\b",
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

    A code or a sign such as "C$" decides, unless the country suggests another dollar: then it may be a contrast, as in
    "$100 (US$75)". Without codes, addresses, domains and other hints at a country decide.
    """
    named = [code for code, signs in _DOLLARS.items() if re.search(signs, text)]
    local = _find_local_dollar(text)
    if not named:
        return local or None
    return named[0] if len(named) == 1 and local in (None, named[0]) else None


def _find_local_dollar(text: str) -> str | None:
    """Return the code of the dollar of the country that the text suggests, `_OTHER`, or None if unclear."""
    hints = {code: len(re.findall(pattern, text)) for code, pattern in _COUNTRIES.items()}
    likeliest = max(hints, key=lambda code: hints[code])
    others = sum(hints.values()) - hints[likeliest]
    return likeliest if hints[likeliest] and hints[likeliest] >= _MAJORITY * others else None
