"""What an electronic invoice tells in so many elements, and the rules of EN 16931 that it may break."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from docyard.facts.notation.typed_values import parse_xml_date

_CENT = Decimal("0.01")
_NEEDED = {
    "number": "BR-02: it has no invoice number",
    "date": "BR-03: it has no date of issue that can be read",
    "currency": "BR-05: it has no currency",
    "seller": "BR-06: it names no seller",
    "buyer": "BR-07: it names no buyer",
    "total": "BR-14: it has no total with tax that can be read",
}


@dataclass(frozen=True, slots=True)
class Told:
    """The values by the names of their fields, as normal forms, and what is needed to check them."""

    values: dict[str, str]
    checked: bool  # whether it promises to keep the rules of EN 16931; ZUGFeRD 1 did not
    sums: dict[str, str] = field(default_factory=dict)  # prepaid, rounding, lines, allowances, charges
    breaches: tuple[str, ...] = ()  # of its own profile, found while it was read


def problems(told: Told) -> Iterator[str]:
    """The rules that it breaks, in words."""
    for name, reason in _NEEDED.items():
        if not told.values.get(name):
            yield reason
    if told.values.get("currency") and not re.fullmatch(r"[A-Z]{3}", told.values["currency"]):
        yield "BR-CL-04: its currency is no currency code"
    if told.checked:
        yield from told.breaches
        yield from _wrong_sums(told)


def _wrong_sums(told: Told) -> Iterator[str]:
    net, tax, total, payable = (number(told.values.get(name)) for name in ("net", "tax", "total", "payable"))
    prepaid, rounding = (number(told.sums.get(name)) or Decimal() for name in ("prepaid", "rounding"))
    if total is not None and net is not None and tax is not None and abs(net + tax - total) > _CENT:
        yield f"BR-CO-15: net {net} and tax {tax} do not make the total {total}"
    if None not in (total, payable) and "prepaid" in told.sums and total is not None and payable is not None:
        due = total - prepaid + rounding
        if abs(due - payable) > _CENT:
            yield f"BR-CO-16: the total less what was paid is {due}, not the {payable} that is due"
    lines = number(told.sums.get("lines"))
    if lines is not None and net is not None:
        allowed, charged = (number(told.sums.get(name)) or Decimal() for name in ("allowances", "charges"))
        if abs(lines - allowed + charged - net) > _CENT:
            yield f"BR-CO-13: the lines, allowances and charges do not make the net {net}"


def number(text: str | None) -> Decimal | None:
    """An amount of XML; None where there is none."""
    try:
        value = Decimal((text or "").strip())
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value) < Decimal(10) ** 15 else None


def amount(text: str | None) -> str:
    """An amount in its normal form; nothing where there is none."""
    value = number(text)
    return "" if value is None else f"{value:.2f}"


def day(text: str | None) -> str:
    """A date as 20171113 or 2017-11-13, the time after it left out, in its normal form."""
    parsed = parse_xml_date(text or "")
    return parsed.isoformat() if parsed else ""
