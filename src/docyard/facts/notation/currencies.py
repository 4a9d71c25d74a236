"""Currencies by their signs, codes and words."""

from __future__ import annotations

import re
from collections.abc import Iterable

SIGNS = {
    "€": "EUR", "£": "GBP", "US$": "USD", "U.S.$": "USD", "C$": "CAD", "CA$": "CAD", "CAD$": "CAD",
    "A$": "AUD", "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD", "S$": "SGD", "R$": "BRL", "$": "USD", "¥": "JPY",
    "₹": "INR", "₽": "RUB", "₩": "KRW", "₺": "TRY", "₪": "ILS", "zł": "PLN", "Kč": "CZK", "RM": "MYR",
    "Rs.": "INR", "Rs": "INR", "SFr.": "CHF", "SFr": "CHF", "Fr.": "CHF",
}  # fmt: skip
WORDS = {
    "dollars": "USD", "dollar": "USD", "euros": "EUR", "euro": "EUR", "pounds sterling": "GBP",
    "pounds": "GBP", "pound sterling": "GBP", "sterling": "GBP", "yen": "JPY", "francs suisses": "CHF",
    "franken": "CHF", "rupees": "INR", "yuan": "CNY", "renminbi": "CNY",
}  # fmt: skip
CODES = (
    "AED", "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS", "INR",
    "JPY", "KRW", "MXN", "MYR", "NOK", "NZD", "PLN", "RMB", "RON", "RUB", "SAR", "SEK", "SGD", "THB", "TRY",
    "UAH", "USD", "ZAR",
)  # fmt: skip


def any_of(words: Iterable[str]) -> str:
    """A pattern for one of these, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


# As tills and invoices write them beside an amount; "Fr." is as often a Friday or a lady.
_BESIDE = (*(sign for sign in SIGNS if sign != "Fr."), *CODES, "Euro", "EURO", "EUROS")
# The first letter is looked at before the list is tried, which halves the time of a page of figures.
BESIDE_AMOUNT = rf"(?=[{''.join(sorted({re.escape(word[0]) for word in _BESIDE}))}])(?:{any_of(_BESIDE)})"


def currency(written: str) -> str | None:
    """The code of a currency by what stands beside an amount."""
    if written.upper() in CODES:
        return "CNY" if written.upper() == "RMB" else written.upper()
    return SIGNS.get(written) or SIGNS.get(written.rstrip(".")) or WORDS.get(written.lower())
