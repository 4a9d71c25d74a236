"""The data of an electronic invoice, and checks of some rules of EN 16931."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from docyard.facts.notation.typed_values import parse_xml_date

_CENT = Decimal("0.01")
_REQUIRED = {
    "number": "BR-02: the invoice number is missing",
    "date": "BR-03: the issue date is missing or unreadable",
    "currency": "BR-05: the currency is missing",
    "seller": "BR-06: the seller is missing",
    "buyer": "BR-07: the buyer is missing",
    "total": "BR-14: the total with tax is missing or unreadable",
}


@dataclass(frozen=True, slots=True)
class InvoiceData:
    """Field values from the header of an invoice in normal form, and the data for its checks."""

    values: dict[str, str]
    claims_en16931: bool  # whether it claims to follow EN 16931; ZUGFeRD 1 does not
    amounts: dict[str, str] = field(default_factory=dict)  # prepaid, rounding, lines, allowances, charges
    violations: tuple[str, ...] = ()  # violations of its own profile, found while reading


def find_violations(invoice: InvoiceData) -> Iterator[str]:
    """Yield a message for each rule that the invoice breaks."""
    for name, reason in _REQUIRED.items():
        if not invoice.values.get(name):
            yield reason
    if invoice.values.get("currency") and not re.fullmatch(r"[A-Z]{3}", invoice.values["currency"]):
        yield "BR-CL-04: the currency is not a three-letter code"
    if invoice.claims_en16931:
        yield from invoice.violations
        yield from _check_amounts(invoice)


def _check_amounts(invoice: InvoiceData) -> Iterator[str]:
    net, tax, total, payable = (parse_amount(invoice.values.get(name)) for name in ("net", "tax", "total", "payable"))
    prepaid, rounding = (parse_amount(invoice.amounts.get(name)) or Decimal() for name in ("prepaid", "rounding"))
    if total is not None and net is not None and tax is not None and abs(net + tax - total) > _CENT:
        yield f"BR-CO-15: net {net} plus tax {tax} is not the total {total}"
    if None not in (total, payable) and "prepaid" in invoice.amounts and total is not None and payable is not None:
        due = total - prepaid + rounding
        if abs(due - payable) > _CENT:
            yield f"BR-CO-16: the total less prepayments plus rounding is {due}, but {payable} is due"
    lines = parse_amount(invoice.amounts.get("lines"))
    if lines is not None and net is not None:
        allowances, charges = (
            parse_amount(invoice.amounts.get(name)) or Decimal() for name in ("allowances", "charges")
        )
        if abs(lines - allowances + charges - net) > _CENT:
            yield f"BR-CO-13: the lines less allowances plus charges do not add up to the net {net}"


def parse_amount(text: str | None) -> Decimal | None:
    """Return an amount from XML; None if it is missing, not a number or too large."""
    try:
        value = Decimal((text or "").strip())
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value) < Decimal(10) ** 15 else None


def normalise_amount(text: str | None) -> str:
    """Return an amount from XML in normal form; empty if it is missing, not a number or too large."""
    value = parse_amount(text)
    return "" if value is None else f"{value:.2f}"


def normalise_date(text: str | None) -> str:
    """Return the normal form of a date such as 20171113 or 2017-11-13; empty if it is not a date."""
    parsed = parse_xml_date(text or "")
    return parsed.isoformat() if parsed else ""
