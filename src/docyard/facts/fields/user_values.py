"""Values that users type for fields, and their normal forms."""

from __future__ import annotations

import re
from decimal import Decimal

from docyard.errors import BadInput
from docyard.facts.entities.account_numbers import find_ibans
from docyard.facts.notation.amounts import find_amounts
from docyard.facts.notation.conventions import UNKNOWN
from docyard.facts.notation.dates import find_dates
from docyard.facts.vocabulary import AMOUNT_FIELDS

_PLAIN_AMOUNT = re.compile(r"-?\d{1,15}(?:[.,]\d{1,2})?", re.ASCII)
_MAX_CHARS = 500


def clean_value(text: str) -> str:
    """Return a typed value on one line; raise BadInput if it is empty, too long or not printable."""
    value = " ".join(text.split())
    if not 0 < len(value) <= _MAX_CHARS or not value.isprintable():
        raise BadInput(f"A value must have 1 to {_MAX_CHARS} printable characters.")
    return value


def normalise_value(name: str, value: str) -> str:
    """Return the normal form of a value for this field; raise BadInput for an unclear amount or date."""
    if is_amount_field(name):
        return _normalise_amount(name, value)
    if is_date_field(name):
        return _normalise_date(name, value)
    if name == "iban":
        return next((found.normal for found in find_ibans(value, UNKNOWN)), value)
    return value.upper() if name == "currency" else value


def is_amount_field(name: str) -> bool:
    """Return whether a field is an amount."""
    return name in AMOUNT_FIELDS


def is_date_field(name: str) -> bool:
    """Return whether a field is a date."""
    return name == "date" or name.endswith("_date")


def _normalise_amount(name: str, value: str) -> str:
    if _PLAIN_AMOUNT.fullmatch(value):
        return f"{Decimal(value.replace(',', '.')):.2f}"
    found = list(find_amounts(value))
    if len(found) != 1:
        raise BadInput(f"The {_format_name(name)} must be an amount such as 1234.50.")
    return found[0].normal


def _normalise_date(name: str, value: str) -> str:
    found = find_dates(value)
    # The reading of an ambiguous date would be a guess, not the user's value.
    if len(found) != 1 or found[0].swappable:
        raise BadInput(f"The {_format_name(name)} must be a date that can be read in one way only, such as 2026-01-31.")
    return found[0].iso


def _format_name(name: str) -> str:
    return name.replace("_", " ")
