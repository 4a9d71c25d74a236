"""Numbers and dates that a user types into a form or a search, or that a program writes into XML."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from decimal import Decimal

_NUMBER = re.compile(r"-?\d{1,15}([.,]\d+)?|-?\d{1,3}([,.]\d{3})+([.,]\d{1,2})?", re.ASCII)
_THOUSANDS = re.compile(r"-?[1-9]\d{0,2}([,.]\d{3})+", re.ASCII)
_PERIOD = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", re.ASCII)
_XML_DATE = re.compile(r"\s{0,40}(\d{4})-?(\d\d)-?(\d\d)(?!\d)", re.ASCII)


def parse_number(text: str) -> Decimal | None:
    """Parse a typed number, or return None.

    The last dot or comma is the decimal mark, unless all marks group thousands: 1.234 is read as 1234.
    """
    if not _NUMBER.fullmatch(text):
        return None
    marked = text if _THOUSANDS.fullmatch(text) else re.sub(r"[.,](?=\d+$)", "!", text)
    return Decimal(re.sub(r"[.,]", "", marked).replace("!", "."))


def parse_period(text: str) -> tuple[date, date] | None:
    """Return the first and the last day of a year, month or day typed as 2026, 2026-11 or 2026-11-15."""
    match = _PERIOD.fullmatch(text)
    if not match:
        return None
    year, month, day = int(match[1]), int(match[2] or 0), int(match[3] or 0)
    try:
        last = monthrange(year, month or 12)[1]
        return date(year, month or 1, day or 1), date(year, month or 12, day or last)
    except ValueError:
        return None


def parse_xml_date(text: str) -> date | None:
    """Return the date with which a text such as 20171113 or 2017-11-13T09:30 begins, or None."""
    match = _XML_DATE.match(text)
    try:
        return date(*map(int, match.groups())) if match else None
    except ValueError:
        return None
