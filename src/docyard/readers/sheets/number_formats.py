"""Number formats of sheets: percentages, currencies and leading zeros, without rounding."""

from __future__ import annotations

import re
from dataclasses import dataclass

from docyard.readers.xml_tree import Element, attribute, child, child_elements

_BUILT_IN_CODES = {9: "0%", 10: "0.00%"}
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[[^\]]*\]|[_*].'
    r"|(?P<digits>[0#?][0#?,]*(?:\.[0#?]*)?|\.[0#?]+)|(?P<sign>.)"
)
_CURRENCY = re.compile(r"[€$£¥₹₽₩]|\b(?:EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK)\b")
_MAX_CODE_CHARS = 200


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """A number format: the text around the number, whether it is a percentage, and its minimum digits."""

    prefix: str = ""
    suffix: str = ""
    percent: bool = False
    min_decimals: int = 0
    min_digits: int = 0  # before the decimal point, padded with zeros


def read_number_formats(styles: Element | None) -> dict[int, NumberFormat]:
    """Return the number format of each cell style that changes how a number is displayed."""
    codes = dict(_BUILT_IN_CODES)
    for each in child_elements(child(styles, "numFmts")):
        codes[_parse_id(attribute(each, "numFmtId"))] = attribute(each, "formatCode") or ""
    formats = {}
    for style, each in enumerate(child_elements(child(styles, "cellXfs"))):
        fmt = parse_format(codes.get(_parse_id(attribute(each, "numFmtId")), ""))
        if fmt is not None:
            formats[style] = fmt
    return formats


def parse_format(code: str) -> NumberFormat | None:
    """Parse a format code; return None for plain numbers, dates and unsupported codes."""
    literals, digits, percent = ["", ""], "", False
    for token in _TOKEN.finditer(code[:_MAX_CODE_CHARS].partition(";")[0]):
        sign = token["sign"] or ""
        if sign.isalpha() or sign in ("/", "@"):  # dates, scientific notation, fractions, text
            return None
        percent = percent or sign == "%"
        digits = digits or token["digits"] or ""
        literal = token["quoted"] or token["escaped"] or token["currency"] or sign.replace("%", "")
        literals[1 if digits else 0] += literal or ""
    whole, _, fraction = digits.partition(".")
    min_digits = len(whole) if len(whole) > 1 and set(whole) == {"0"} else 0
    before, after = (text if _CURRENCY.search(text) else "" for text in literals)
    fmt = NumberFormat(before.lstrip(), after.rstrip(), percent, len(fraction), min_digits)
    return fmt if digits and (percent or min_digits or before or after) else None


def format_number(value: float, fmt: NumberFormat) -> str:
    """Return the number in this format, without rounding it to the format's decimals."""
    number = value * 100 if fmt.percent else value
    text = f"{abs(number):.15g}"
    if "e" in text:
        return text if number >= 0 else f"-{text}"
    whole, _, fraction = text.partition(".")
    fraction = fraction.ljust(fmt.min_decimals, "0")
    text = whole.zfill(fmt.min_digits) + (f".{fraction}" if fraction else "")
    return f"{'-' if number < 0 else ''}{fmt.prefix}{text}{'%' if fmt.percent else ''}{fmt.suffix}"


def _parse_id(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 8 else -1
