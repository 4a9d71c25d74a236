"""E-mail addresses and telephone numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.facts.entities.spans import NamedSpan
from docyard.facts.notation.conventions import Conventions

_EMAIL = re.compile(r"(?<![\w.+-])[A-Za-z0-9][\w.+'-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,24}(?![\w@])")
_LABEL = (
    r"(?:(?:(?<!\w)(?:t|f|m|ph|tel|tél|fax|cell|call|handy|mobile?|mobil)|telephone|telefon|téléphone|phone"
    r"|telefax|hotline|rufnummer|durchwahl|teléfono|telefono)\b\.?[:\s]*(?:no\.?|nr\.?|number)?[:\s(]*|[☎✆📞]\s*)"
)
_LABEL_BEFORE = re.compile(_LABEL + "$", re.IGNORECASE)
# The start of a possible telephone number. Only the text near it is parsed, because parsing all text takes
# fifty times as long on pages of numbers.
_HINT = re.compile(
    r"\+[\s(]{0,2}\d|\b00[1-9]|\(\d{2,5}\)\s?\d|(?:1[-.])?\d{3}[-.]\d{3}[-.]\d{4}|" + _LABEL + r"[+\d]", re.IGNORECASE
)
_MAX_CHARS = 40
_PHONE_FORMAT = re.compile(r"^(?:\+|00[1-9]|\(\d{2,5}\)\s?\d|\d{3}[-.]\d{3}[-.]\d{4}$|1[-.]\d{3}[-.]\d{3}[-.]\d{4}$)")
_REGIONS = {
    "en": ("US", "GB"), "de": ("DE", "AT", "CH"), "fr": ("FR", "BE", "CH"), "es": ("ES", "MX"), "it": ("IT",),
    "nl": ("NL", "BE"), "pt": ("PT", "BR"), "pl": ("PL",), "sv": ("SE",), "da": ("DK",), "no": ("NO",),
}  # fmt: skip
_LABEL_CHARS = 24
_MIN_DIGITS = 7


def find_emails(text: str, _conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield all e-mail addresses; the normal form is lower case."""
    for match in _EMAIL.finditer(text):
        yield NamedSpan("email", match.start(), match.end(), match[0].lower(), 0.99)


def find_phones(text: str, conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield valid telephone numbers that follow a label or have the format of a telephone number."""
    seen: set[int] = set()
    for first, last in _find_ranges(text):
        for found in _find_in_range(text, first, last, conventions.language):
            if found.start not in seen:
                seen.add(found.start)
                yield found


def _find_ranges(text: str) -> Iterator[tuple[int, int]]:
    """Yield the range of each possible telephone number; overlapping ranges are merged."""
    first = last = -1
    for hint in _HINT.finditer(text):
        if hint.start() > last >= 0:
            yield first, last
        first = hint.start() if hint.start() > last else first
        last = min(hint.end() + _MAX_CHARS, len(text))
    if last >= 0:
        yield first, last


def _find_in_range(text: str, first: int, last: int, language: str | None) -> Iterator[NamedSpan]:
    from phonenumbers import Leniency, PhoneNumberFormat, PhoneNumberMatcher, format_number

    for region in _REGIONS.get(language or "en", ("US",)):
        for match in PhoneNumberMatcher(text[first:last], region, leniency=Leniency.VALID):
            start = first + match.start
            if _is_phone(text, start, match.raw_string):
                normal = format_number(match.number, PhoneNumberFormat.E164)
                certain = match.raw_string.startswith("+") or bool(_LABEL_BEFORE.search(text[:start][-_LABEL_CHARS:]))
                yield NamedSpan("phone", start, first + match.end, normal, 0.97 if certain else 0.85)


def _is_phone(text: str, start: int, written: str) -> bool:
    if sum(character.isdigit() for character in written) < _MIN_DIGITS:
        return False
    before = text[max(0, start - _LABEL_CHARS) : start]
    return bool(_PHONE_FORMAT.match(written) or _LABEL_BEFORE.search(before))
