"""Baselines for fields: a few simple patterns."""

from __future__ import annotations

import re

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_DATE = re.compile(
    rf"\b(?P<d>\d{{1,2}})[/.-](?P<m>\d{{1,2}})[/.-](?P<y>\d{{4}}|\d\d)\b"
    rf"|\b(?P<d2>\d{{1,2}})\s+(?P<m2>{_MONTH})\s+(?P<y2>\d{{4}})"
    rf"|\b(?P<m3>{_MONTH})\s+(?P<d3>\d{{1,2}}),?\s+(?P<y3>\d{{4}})",
    re.IGNORECASE,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TOTAL = re.compile(r"\btotal\b[^\n\d]*([\d.,]*\d[.,]\d\d)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\b(?:invoice|rechnung|facture)\s*(?:no|nr|number|#)?\W{0,3}([\w/-]*\d[\w/-]*)", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s+(.{3,120}?)\s*[,(].{0,300}?\band\s+([A-Z].{2,120}?)\s*[,(]", re.DOTALL)
_EFFECTIVE = re.compile(r"\beffective\b.{0,60}", re.IGNORECASE | re.DOTALL)
_LAWS = re.compile(r"\blaws? of (?:the )?(?:State of |Commonwealth of )?([A-Z]\w+(?: [A-Z]\w+)?)")
_DOCKET = re.compile(r"\b\d\d-\d{2,5}\b")


def plain_bill(text: str) -> dict[str, str]:
    """Return the first line as seller, the first date, the number after "invoice" and the last total."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    totals = _TOTAL.findall(text)
    number = _NUMBER.search(text)
    found = {"seller": lines[0] if lines else "", "date": plain_date(text), "number": number[1] if number else ""}
    return {**found, "total": _parse_amount(totals[-1]) if totals else ""}


def plain_contract(text: str) -> dict[str, list[str]]:
    """Return the names in 'between … and', the date after 'effective', else the first date, and the law."""
    between, law = _BETWEEN.search(text), _LAWS.search(text)
    dates = [found for match in _EFFECTIVE.finditer(text) if (found := plain_date(match[0]))]
    return {
        "party": list(between.groups()) if between else [],
        "effective_date": dates[:1] or [found for found in [plain_date(text)] if found],
        "governing_law": [law[1]] if law else [],
    }


def plain_court(text: str) -> dict[str, set[str]]:
    """Return every number such as 12-3456, and every date."""
    dates = {found for match in _DATE.finditer(text) if (found := plain_date(match[0], day_first=False))}
    return {"docket": set(_DOCKET.findall(text)), "date": dates}


def plain_date(text: str, *, day_first: bool = True) -> str:
    """Return the first date as 2026-11-15, or an empty string."""
    match = _DATE.search(text)
    if match is None:
        return ""
    if match["d"]:
        first, second = int(match["d"]), int(match["m"])
        day, month = (first, second) if day_first else (second, first)
        year = int(match["y"])
    else:
        day = int(match["d2"] or match["d3"])
        month = _MONTHS.index((match["m2"] or match["m3"])[:3].lower()) + 1
        year = int(match["y2"] or match["y3"])
    return f"{year if year > 99 else 2000 + year:04}-{month:02}-{day:02}"


def _parse_amount(text: str) -> str:
    digits = re.sub(r"\D", "", text)
    return f"{int(digits[:-2] or 0)}.{digits[-2:]}"
