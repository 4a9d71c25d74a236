"""Values that people give for fields, in the normal form of what was found."""

from __future__ import annotations

import re
from decimal import Decimal

from docyard.errors import BadInput
from docyard.facts.entities.account_numbers import ibans
from docyard.facts.notation.amounts import find_amounts
from docyard.facts.notation.conventions import UNKNOWN
from docyard.facts.notation.dates import find_dates
from docyard.facts.vocabulary import AMOUNTS

_PLAIN = re.compile(r"-?\d{1,15}(?:[.,]\d{1,2})?", re.ASCII)
_LONGEST = 500


def given_value(text: str) -> str:
    """What a person typed, in one line."""
    value = " ".join(text.split())
    if not 0 < len(value) <= _LONGEST or not value.isprintable():
        raise BadInput(f"A value has 1 to {_LONGEST} characters.")
    return value


def normal_of(name: str, value: str) -> str:
    """The normal form of a value that a person gave for this field; BadInput where it can be none."""
    if is_amount(name):
        return _amount(name, value)
    if is_day(name):
        return _day(name, value)
    if name == "iban":
        return next((found.normal for found in ibans(value, UNKNOWN)), value)
    return value.upper() if name == "currency" else value


def is_amount(name: str) -> bool:
    """Whether the field of this name is a sum."""
    return name in AMOUNTS


def is_day(name: str) -> bool:
    """Whether the field of this name is a day."""
    return name == "date" or name.endswith("_date")


def _amount(name: str, value: str) -> str:
    if _PLAIN.fullmatch(value):
        return f"{Decimal(value.replace(',', '.')):.2f}"
    found = list(find_amounts(value))
    if len(found) != 1:
        raise BadInput(f"The {_called(name)} is an amount such as 1234.50.")
    return found[0].normal


def _day(name: str, value: str) -> str:
    found = find_dates(value)
    # A day that could be read in two ways would be a guess of ours, and no word of the person's.
    if len(found) != 1 or found[0].swappable:
        raise BadInput(f"The {_called(name)} is a day such as 2026-01-31.")
    return found[0].iso


def _called(name: str) -> str:
    return name.replace("_", " ")
