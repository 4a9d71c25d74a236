"""How the numbers of a sheet are shown: percentages, currencies, leading zeros; no digit is rounded away."""

from __future__ import annotations

import re
from dataclasses import dataclass

from docyard.readers.xml_tree import Element, attribute, child, inside

_BUILT_IN = {9: "0%", 10: "0.00%"}
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[[^\]]*\]|[_*].'
    r"|(?P<digits>[0#?][0#?,]*(?:\.[0#?]*)?|\.[0#?]+)|(?P<sign>.)"
)
_CURRENCY = re.compile(r"[€$£¥₹₽₩]|\b(?:EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK)\b")
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Shown:
    """What is written around a number, whether it is a share of a hundred, and its least digits."""

    before: str = ""
    after: str = ""
    percent: bool = False
    decimals: int = 0
    digits: int = 0  # before the point, filled up with zeros


def formats_of(styles: Element | None) -> dict[int, Shown]:
    """How cells of each style show a number, for the styles that add something to it."""
    codes = dict(_BUILT_IN)
    for each in inside(child(styles, "numFmts")):
        codes[_number(attribute(each, "numFmtId"))] = attribute(each, "formatCode") or ""
    found = {}
    for place, each in enumerate(inside(child(styles, "cellXfs"))):
        how = shown_by(codes.get(_number(attribute(each, "numFmtId")), ""))
        if how is not None:
            found[place] = how
    return found


def shown_by(code: str) -> Shown | None:
    """What a format adds to a number; None for plain numbers, days, and what is not understood."""
    around, digits, percent = ["", ""], "", False
    for token in _TOKEN.finditer(code[:_LONGEST].partition(";")[0]):
        sign = token["sign"] or ""
        if sign.isalpha() or sign in ("/", "@"):  # days, scientific numbers, fractions, texts
            return None
        percent = percent or sign == "%"
        digits = digits or token["digits"] or ""
        literal = token["quoted"] or token["escaped"] or token["currency"] or sign.replace("%", "")
        around[1 if digits else 0] += literal or ""
    whole, _, fraction = digits.partition(".")
    zeros = len(whole) if len(whole) > 1 and set(whole) == {"0"} else 0
    before, after = (words if _CURRENCY.search(words) else "" for words in around)
    how = Shown(before.lstrip(), after.rstrip(), percent, len(fraction), zeros)
    return how if digits and (percent or zeros or before or after) else None


def written(value: float, how: Shown) -> str:
    """The number as its format shows it."""
    number = value * 100 if how.percent else value
    text = f"{abs(number):.15g}"
    if "e" in text:
        return text if number >= 0 else f"-{text}"
    whole, _, fraction = text.partition(".")
    fraction = fraction.ljust(how.decimals, "0")
    text = whole.zfill(how.digits) + (f".{fraction}" if fraction else "")
    return f"{'-' if number < 0 else ''}{how.before}{text}{'%' if how.percent else ''}{how.after}"


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 8 else -1
