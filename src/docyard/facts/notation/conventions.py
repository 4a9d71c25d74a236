"""How one document writes dates and numbers, where a notation alone can be read in two ways."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Evidence(IntEnum):
    """What decided the order of day and month; a higher value is stronger."""

    NONE = 0  # a guess by the type of the document
    REGION = 1  # the country that the document names, its currency, or how it writes months in words
    LANGUAGE = 2
    DATES = 3  # dates that can be read in one way only


@dataclass(frozen=True, slots=True)
class Conventions:
    """Decided once for a document by `read_conventions`, so that the same characters have one meaning."""

    language: str | None = None
    day_first: bool = True
    order: Evidence = Evidence.NONE
    day_first_with_dots: bool = True  # 03.04.2026 keeps this order in documents that write 04/03/2026
    decimal_comma: bool | None = None  # None where neither the numbers nor the language tell
    currency_first: bool = True  # a currency between two numbers belongs to the second


UNKNOWN = Conventions()
