"""Amounts of money as people and tills write them, each with its place and its exact value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from docyard.facts.notation.currencies import BESIDE_AMOUNT, currency

# Groups of three with a mark between them, or plain digits; then cents, perhaps after a scanner's space.
_NUMBER = re.compile(
    rf"(?<![\w.,/:-])(?P<sign>[-−(]\s?)?(?:(?P<code>{BESIDE_AMOUNT})\s?)?"
    r"(?P<sign2>[-−])?"
    r"(?P<whole>\d{1,3}(?:(?P<mark>[,.' ’\u00a0\u202f])\d{3})(?:(?P=mark)\d{3})*|\d{1,9})"
    r"(?:\s?(?P<point>[.,])\s?(?P<cents>\d{2}))?(?P<after>\s?[-−](?=\s|$))?"
    rf"(?P<unit>\s?(?:{BESIDE_AMOUNT})(?!\w))?"
    r"(?![\w%]|\s%|[.,/:-]\d)"
)
_CURRENCY = re.compile(rf"(?<![A-Za-z])(?:{BESIDE_AMOUNT})(?![A-Za-z])")


class Amount(NamedTuple):
    """`text[start:end]` is this amount; `exact` where it is written with cents."""

    start: int
    end: int
    value: Decimal
    exact: bool
    currency: str | None = None

    @property
    def normal(self) -> str:
        """The amount with two decimals and a point."""
        return f"{self.value:.2f}"


def amounts_in(text: str) -> Iterator[Amount]:
    """The amounts of a text in their order."""
    for match in _NUMBER.finditer(text):
        if match["mark"] and match["whole"].startswith("0"):
            continue  # 0.025 is a price for one of many
        whole = re.sub(r"\D", "", match["whole"])
        cents = match["cents"]
        if cents is None and match["mark"] == "." and not (match["code"] or match["unit"]):
            continue  # 1.234 alone is as often a number with three decimals
        value = Decimal(f"{whole}.{cents or '00'}")
        negative = match["sign"] or match["sign2"] or match["after"]
        symbol = (match["code"] or match["unit"] or "").strip()
        start = match.start("whole") if not match["code"] else match.start("code")
        end = match.end("cents") if cents else match.end("whole")
        yield Amount(start, end, -value if negative else value, cents is not None, currency(symbol))


class Currency(NamedTuple):
    """`text[start:end]` names this currency."""

    start: int
    end: int
    code: str


def currencies_in(text: str) -> Iterator[Currency]:
    """The places that name a currency, by its sign or its letters."""
    for match in _CURRENCY.finditer(text):
        yield Currency(match.start(), match.end(), currency(match[0]) or "")
