"""E-mail addresses and telephone numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.facts.entities.spans import Found
from docyard.facts.notation.conventions import Conventions

_EMAIL = re.compile(r"(?<![\w.+-])[A-Za-z0-9][\w.+'-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,24}(?![\w@])")
_CUE_WORDS = (
    r"(?:(?:(?<!\w)(?:t|f|m|ph|tel|tél|fax|cell|call|handy|mobile?|mobil)|telephone|telefon|téléphone|phone"
    r"|telefax|hotline|rufnummer|durchwahl|teléfono|telefono)\b\.?[:\s]*(?:no\.?|nr\.?|number)?[:\s(]*|[☎✆📞]\s*)"
)
_CUE = re.compile(_CUE_WORDS + "$", re.IGNORECASE)
# Where one may begin: looking for them everywhere takes fifty times as long on pages of figures.
_HINT = re.compile(
    r"\+[\s(]{0,2}\d|\b00[1-9]|\(\d{2,5}\)\s?\d|(?:1[-.])?\d{3}[-.]\d{3}[-.]\d{4}|" + _CUE_WORDS + r"[+\d]",
    re.IGNORECASE,
)
_LONGEST = 40
_WRITTEN_AS_PHONE = re.compile(
    r"^(?:\+|00[1-9]|\(\d{2,5}\)\s?\d|\d{3}[-.]\d{3}[-.]\d{4}$|1[-.]\d{3}[-.]\d{3}[-.]\d{4}$)"
)
_REGIONS = {
    "en": ("US", "GB"), "de": ("DE", "AT", "CH"), "fr": ("FR", "BE", "CH"), "es": ("ES", "MX"), "it": ("IT",),
    "nl": ("NL", "BE"), "pt": ("PT", "BR"), "pl": ("PL",), "sv": ("SE",), "da": ("DK",), "no": ("NO",),
}  # fmt: skip
_LOOKED_BACK = 24
_FEWEST_DIGITS = 7


def emails(text: str, _conventions: Conventions) -> Iterator[Found]:
    """All addresses; the normal form is in lower case."""
    for match in _EMAIL.finditer(text):
        yield Found("email", match.start(), match.end(), match[0].lower(), 0.99)


def phones(text: str, conventions: Conventions) -> Iterator[Found]:
    """Numbers that are valid, and that are announced or written as telephone numbers are."""
    seen: set[int] = set()
    for first, last in _stretches(text):
        for found in _in_stretch(text, first, last, conventions.language):
            if found.start not in seen:
                seen.add(found.start)
                yield found


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """From each hint so far that a number fits; those that touch are one."""
    first = last = -1
    for hint in _HINT.finditer(text):
        if hint.start() > last >= 0:
            yield first, last
        first = hint.start() if hint.start() > last else first
        last = min(hint.end() + _LONGEST, len(text))
    if last >= 0:
        yield first, last


def _in_stretch(text: str, first: int, last: int, language: str | None) -> Iterator[Found]:
    from phonenumbers import Leniency, PhoneNumberFormat, PhoneNumberMatcher, format_number

    for region in _REGIONS.get(language or "en", ("US",)):
        for match in PhoneNumberMatcher(text[first:last], region, leniency=Leniency.VALID):
            start = first + match.start
            if _meant(text, start, match.raw_string):
                normal = format_number(match.number, PhoneNumberFormat.E164)
                sure = match.raw_string.startswith("+") or bool(_CUE.search(text[:start][-_LOOKED_BACK:]))
                yield Found("phone", start, first + match.end, normal, 0.97 if sure else 0.85)


def _meant(text: str, start: int, written: str) -> bool:
    if sum(letter.isdigit() for letter in written) < _FEWEST_DIGITS:
        return False
    before = text[max(0, start - _LOOKED_BACK) : start]
    return bool(_WRITTEN_AS_PHONE.match(written) or _CUE.search(before))
