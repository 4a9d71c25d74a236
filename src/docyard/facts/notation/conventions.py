"""Conventions of a document for dates and numbers that can be read in two ways."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class OrderEvidence(IntEnum):
    """The evidence for the order of day and month; a higher value is stronger."""

    NONE = 0  # a guess from the document type
    REGION = 1  # a country or currency in the text, or the order of its dates with month names
    LANGUAGE = 2
    DATES = 3  # dates with only one reading, or ambiguous dates repeated in another notation


@dataclass(frozen=True, slots=True)
class Conventions:
    """The conventions of one document, as returned by `read_conventions`."""

    language: str | None = None
    day_first: bool = True
    order: OrderEvidence = OrderEvidence.NONE
    day_first_with_dots: bool = True  # for 03.04.2026; can differ from the order of 04/03/2026
    decimal_comma: bool | None = None  # None if neither the numbers nor the language decide
    currency_first: bool = True  # a currency between two numbers belongs to the second
    dollar: str | None = None  # code of the currency that a bare "$" means; None if the document does not say


UNKNOWN = Conventions()
