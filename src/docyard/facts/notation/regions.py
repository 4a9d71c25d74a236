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
_US_DOLLARS = re.compile(r"\bUSD\b|\bUS\$")
# Hints at the country of a document with a bare "$".
_DOLLARS = (
    ("AUD", re.compile(r"\bABN\b|\bAustralia\b|\b(?:NSW|VIC|QLD|TAS|ACT|SA|WA|NT)\s{1,2}\d{4}\b")),
    ("CAD", re.compile(r"\b(?:HST|QST|TVQ|Canada)\b|\b[A-Z]\d[A-Z] ?\d[A-Z]\d\b")),
    ("NZD", re.compile(r"\bNew Zealand\b|\bNZBN\b")),
    ("SGD", re.compile(r"\bSingapore \d{6}\b")),
    ("HKD", re.compile(r"\bHong Kong\b")),
)


def is_day_first_region(text: str) -> bool | None:
    """Return whether the day comes first in the country that an English text suggests; None if unknown."""
    american, others = len(_UNITED_STATES.findall(text)), len(_DAY_FIRST.findall(text))
    if american != others:
        return others > american
    return False if "$" in text and dollar_currency(text) is None else None


def dollar_currency(text: str) -> str | None:
    """Return the currency that a bare "$" means; None for the US dollar or if the country is unclear."""
    if _US_DOLLARS.search(text) or _UNITED_STATES.search(text):
        return None
    named = {code for code, _ in _DOLLARS if re.search(rf"\b{code}\b", text)}
    codes = named or {code for code, hints in _DOLLARS if hints.search(text)}
    return codes.pop() if len(codes) == 1 else None
