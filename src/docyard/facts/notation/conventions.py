"""How one document writes dates and numbers, where a notation alone can be read in two ways."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Evidence(IntEnum):
    """What decided the order of day and month; a higher value is stronger."""

    NONE = 0
    REGION = 1  # the country that the document names, or how it writes months in words
    LANGUAGE = 2
    DATES = 3  # dates that can be read in one way only


@dataclass(frozen=True, slots=True)
class Conventions:
    """Decided once for a document by `read_conventions`, so that the same characters have one meaning."""

    language: str | None = None
    day_first: bool = True
    order: Evidence = Evidence.NONE
    decimal_comma: bool | None = None  # None where neither the numbers nor the language tell


UNKNOWN = Conventions()
