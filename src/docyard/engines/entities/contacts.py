"""E-mail addresses and telephone numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.engines.entities.found import Found

_EMAIL = re.compile(r"(?<![\w.+-])[A-Za-z0-9][\w.+'-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,24}(?![\w@])")
_DIGITS = re.compile(r"[+(\d]")
_CUE = re.compile(
    r"(?:tel|telephone|telefon|téléphone|tél|phone|ph|fax|telefax|mobile?|mobil|cell|call|handy|hotline"
    r"|rufnummer|durchwahl|teléfono|telefono|t|f|m)\b\.?[:\s]*(?:no\.?|nr\.?|number)?[:\s(]*$|[☎✆📞]\s*$",
    re.IGNORECASE,
)
_WRITTEN_AS_PHONE = re.compile(
    r"^(?:\+|00[1-9]|\(\d{2,5}\)\s?\d|\d{3}[-.]\d{3}[-.]\d{4}$|1[-.]\d{3}[-.]\d{3}[-.]\d{4}$)"
)
_REGIONS = {
    "en": ("US", "GB"), "de": ("DE", "AT", "CH"), "fr": ("FR", "BE", "CH"), "es": ("ES", "MX"), "it": ("IT",),
    "nl": ("NL", "BE"), "pt": ("PT", "BR"), "pl": ("PL",), "sv": ("SE",), "da": ("DK",), "no": ("NO",),
}  # fmt: skip
_LOOKED_BACK = 24
_FEWEST_DIGITS = 7


def emails(text: str, _language: str | None) -> Iterator[Found]:
    """All addresses; the normal form is in lower case."""
    for match in _EMAIL.finditer(text):
        yield Found("email", match.start(), match.end(), match[0].lower(), 0.99)


def phones(text: str, language: str | None) -> Iterator[Found]:
    """Numbers that are valid, and that are announced or written as telephone numbers are."""
    if not _DIGITS.search(text):
        return
    from phonenumbers import Leniency, PhoneNumberFormat, PhoneNumberMatcher, format_number

    seen: set[int] = set()
    for region in _REGIONS.get(language or "en", ("US",)):
        for match in PhoneNumberMatcher(text, region, leniency=Leniency.VALID):
            if match.start in seen or not _meant(text, match.start, match.raw_string):
                continue
            seen.add(match.start)
            normal = format_number(match.number, PhoneNumberFormat.E164)
            sure = match.raw_string.startswith("+") or bool(_CUE.search(text[: match.start][-_LOOKED_BACK:]))
            yield Found("phone", match.start, match.end, normal, 0.97 if sure else 0.85)


def _meant(text: str, start: int, written: str) -> bool:
    if sum(letter.isdigit() for letter in written) < _FEWEST_DIGITS:
        return False
    before = text[max(0, start - _LOOKED_BACK) : start]
    return bool(_WRITTEN_AS_PHONE.match(written) or _CUE.search(before))
