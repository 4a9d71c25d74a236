"""How a document writes dates and numbers that can be read in two ways."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class OrderEvidence(IntEnum):
    """The evidence for the order of day and month; a higher value is stronger."""

    NONE = 0  # a guess by the document type
    REGION = 1  # a country or currency in the text, or the order of its dates with month names
    LANGUAGE = 2
    DATES = 3  # dates that can be read in one way only


@dataclass(frozen=True, slots=True)
class Conventions:
    """The conventions of one document, decided once by `read_conventions`."""

    language: str | None = None
    day_first: bool = True
    order: OrderEvidence = OrderEvidence.NONE
    day_first_with_dots: bool = True  # 03.04.2026 keeps this order in documents that write 04/03/2026
    decimal_comma: bool | None = None  # None if neither the numbers nor the language decide
    currency_first: bool = True  # a currency between two numbers belongs to the second


UNKNOWN = Conventions()
