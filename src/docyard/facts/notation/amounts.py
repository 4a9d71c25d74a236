"""Numbers and amounts of money, with one grammar for invoices and for running text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from docyard.facts.notation.conventions import UNKNOWN, Conventions
from docyard.facts.notation.currencies import AFTER_AMOUNT, BEFORE_AMOUNT, DOLLAR, currency_code
from docyard.facts.notation.lexicon import load_words, one_of
from docyard.facts.notation.regions import DOLLAR_CODES

_DATA = load_words("number_scales")
_POWERS: dict[str, int] = _DATA["powers"]
_LONG_SCALE: dict[str, int] = _DATA["long_scale"]
_AFTER_SIGN: frozenset[str] = frozenset(_DATA["after_sign"]["words"])

_BLANK = "[ \u00a0\u202f]"
# Groups of three digits, Indian groups (1,50,000), or plain digits. OCR may add spaces at the decimal mark.
_NUMBER = re.compile(
    r"(?<![\d_,])(?<!\d[.:/])"
    r"(?P<whole>\d{1,3}(?P<mark>[,.'’ \u00a0\u202f])\d{3}(?!\d)(?:(?P=mark)\d{3}(?!\d))*"
    r"|\d{1,2}(?:,\d\d){1,4},\d{3}(?!\d)|\d{1,15})"
    r"(?:[.,](?P<decimals>\d{1,9})|(?:\s[.,]\s?|[.,]\s)(?P<cents>\d\d)(?=\s?[^\w\s]|\s*$|\s*\n|\s{2}))?(?!\d)"
)
_BEFORE = re.compile(
    rf"(?P<minus>(?<![\w.,/:-])[-−])?(?<![\w.,])(?P<currency>{BEFORE_AMOUNT})(?P<gap>{_BLANK}?)"
    rf"(?:[€$£]{_BLANK}?)?(?P<minus2>[-−])?\Z"
)
_MINUS = re.compile(r"(?:(?<![\w.,/:-])[-−]|(?:^|\s{2})[-−]\s)\Z")
_NO_INITIAL = r"(?!\w|(?<=[\s\d][A-Za-z])\.[A-Za-z])"  # "$5 M.N." are five pesos, not five million
_AFTER = re.compile(
    rf"(?P<dash>[.,]?[-–—−](?=\s|$))?(?:{_BLANK}?(?P<scale>(?i:{one_of([*_POWERS, *_LONG_SCALE])})){_NO_INITIAL})?"
    rf"(?:{_BLANK}?(?:d['’]|de )?(?P<currency>{AFTER_AMOUNT})(?P<next>(?={_BLANK}?[-−]?\d))?(?!\w))?"
)
_NOT_AN_AMOUNT = re.compile(r"[^\W_]|%|\s%|[.,/:-]\d")
_CURRENCY_CHARS = 10  # characters before a number that may contain a currency and signs


class Amount(NamedTuple):
    """A number at `text[start:end]`, including a currency before it.

    `whole_end` is the end including a scale and a currency after the number.
    """

    start: int
    end: int
    whole_end: int
    value: Decimal
    exact: bool  # written with two decimals
    certain: bool  # can be read in one way only
    currency: str | None = None

    @property
    def normal(self) -> str:
        """The amount with at least two decimals and without further trailing zeros."""
        whole, _, decimals = f"{self.value:f}".partition(".")
        return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}"


def find_amounts(text: str, conventions: Conventions = UNKNOWN) -> Iterator[Amount]:
    """Yield the amounts of a text in order, with and without a currency."""
    previous = 0
    for match in _NUMBER.finditer(text):
        amount = _read_amount(text, match, previous, conventions)
        if amount is not None:
            previous = amount.whole_end
            yield amount


def _read_amount(text: str, match: re.Match[str], previous: int, conventions: Conventions) -> Amount | None:
    """Return the amount that a number states, or None if the number is not an amount."""
    before, after = _read_currency_before(text, match, previous, conventions), _AFTER.match(text, match.end())
    following = _read_currency_after(after, conventions, before)
    currency = before.code if before and not _specifies(following, before) else following
    decimals = match["decimals"] or match["cents"] or ""
    if before is None and _is_joined_before(text, match):
        return None
    if currency is None and not _is_plain_amount(match, decimals):
        return None
    value, certain = _read_value(match, decimals, conventions)
    power, whole_end = _read_scale(match, after, before, following, conventions)
    if _NOT_AN_AMOUNT.match(text, whole_end) and not (currency and text[whole_end] in ".,/:-"):
        return None
    negative = before.negative if before else _is_negative(text, match, decimals)
    start = before.start if before else match.start()
    signed = -value if negative else value
    return Amount(start, match.end(), whole_end, signed.scaleb(power), len(decimals) == 2, certain, currency)


class _LeadingCurrency(NamedTuple):
    code: str
    start: int
    negative: bool
    joined: bool  # right before the number, and not only letters


def _read_currency_before(
    text: str, match: re.Match[str], previous: int, conventions: Conventions
) -> _LeadingCurrency | None:
    found = _BEFORE.search(text, max(match.start() - _CURRENCY_CHARS, previous), match.start())
    code = _read_code(found["currency"], conventions) if found else None
    if found is None or code is None:
        return None
    negative = bool(found["minus"] or found["minus2"])
    joined = not found["gap"] and not found["currency"].isalpha()
    return _LeadingCurrency(code, found.start("currency"), negative, joined)


def _read_currency_after(
    after: re.Match[str] | None, conventions: Conventions, before: _LeadingCurrency | None
) -> str | None:
    """Return the currency after a number, unless it belongs to the next number or contradicts `before`."""
    if after is None or not after["currency"] or (after["next"] is not None and conventions.currency_first):
        return None
    code = _read_code(after["currency"], conventions)
    return code if before is None or code == before.code or _specifies(code, before) else None


def _read_code(written: str, conventions: Conventions) -> str | None:
    code = currency_code(written, conventions.language)
    return conventions.dollar or DOLLAR if code == DOLLAR else code


def _specifies(code: str | None, before: _LeadingCurrency) -> bool:
    """Return whether a code after a number says which dollar the sign before it means: $5 CAD."""
    return before.code == DOLLAR and code in DOLLAR_CODES


def _is_joined_before(text: str, match: re.Match[str]) -> bool:
    """Return whether a number belongs to the text right before it: A4, No.12, 10-12."""
    before = text[match.start() - 1 : match.start()]
    return before.isalnum() or before in (".", "/") or (before in ("-", "−") and not _has_minus(text, match))


def _is_plain_amount(match: re.Match[str], decimals: str) -> bool:
    """Return whether a number without a currency may be an amount: 12.50 or 1,200, but not 1.234 or 23.5."""
    return len(decimals) == 2 or (not decimals and match["mark"] != "." and not _is_fraction(match))


def _is_fraction(match: re.Match[str]) -> bool:
    """Return whether a number is a fraction such as 0.025 or 0,125, with zero before the mark."""
    return bool(match["mark"]) and match["whole"].startswith("0")


def _read_value(match: re.Match[str], decimals: str, conventions: Conventions) -> tuple[Decimal, bool]:
    """Return the value of a number, and whether it can be read in one way only."""
    written, mark = match["whole"], match["mark"]
    digits = re.sub(r"\D", "", written)
    if decimals or mark not in (".", ",") or written.count(mark) > 1:
        return Decimal(f"{digits}.{decimals or 0}"), True
    if _is_fraction(match) or not _groups_thousands(mark, conventions):
        return Decimal(written.replace(mark, ".")), _is_fraction(match)
    return Decimal(digits), mark == "," or conventions.decimal_comma is not None


def _groups_thousands(mark: str, conventions: Conventions) -> bool:
    """Return whether a mark before three digits groups thousands; True if the conventions do not decide."""
    if conventions.decimal_comma is None:
        return True
    return mark == ("." if conventions.decimal_comma else ",")


def _read_scale(
    match: re.Match[str],
    after: re.Match[str] | None,
    before: _LeadingCurrency | None,
    following: str | None,
    conventions: Conventions,
) -> tuple[int, int]:
    """Return the power of ten of a word such as "million" after an amount, and where the amount ends."""
    if after is None or not (before or following):
        return 0, match.end()
    word = (after["scale"] or "").lower()
    if word in _AFTER_SIGN and not (before and before.joined):
        return 0, match.end()
    if after["scale"] == "MN" and match["decimals"]:  # moneda nacional, the pesos of Mexico
        return 0, match.end()
    end = after.end() if following else after.end("scale") if word else match.end()
    if word in _LONG_SCALE and conventions.decimal_comma:
        return _LONG_SCALE[word], end
    return _POWERS.get(word, _LONG_SCALE.get(word, 0)) if word else 0, end


def _is_negative(text: str, match: re.Match[str], decimals: str) -> bool:
    """Return whether a number has a minus before or after it, or is in brackets."""
    after = text[match.end() : match.end() + 2]
    if text[match.start() - 1 : match.start()] == "(" and after[:1] == ")":
        return True
    trailing = bool(decimals) and after[:1] in ("-", "−") and not after[1:].strip()
    return trailing or _has_minus(text, match)


def _has_minus(text: str, match: re.Match[str]) -> bool:
    return bool(_MINUS.search(text, max(match.start() - 3, 0), match.start()))
