"""Formats and check digits of VAT numbers by country."""

from __future__ import annotations

from collections.abc import Callable, Sequence

_GAP = r"[ .\u00a0-]?"
VAT_PATTERNS = {
    "DE": rf"DE{_GAP}\d{{3}}{_GAP}\d{{3}}{_GAP}\d{{3}}",
    "AT": rf"AT{_GAP}U{_GAP}\d{{8}}",
    "BE": rf"BE{_GAP}[01]\d{{3}}{_GAP}\d{{3}}{_GAP}\d{{3}}",
    "FR": rf"FR{_GAP}[0-9A-HJ-NP-Z]{{2}}{_GAP}\d{{3}}{_GAP}\d{{3}}{_GAP}\d{{3}}",
    "GB": rf"GB{_GAP}\d{{3}}{_GAP}\d{{4}}{_GAP}\d{{2}}",
    "IT": rf"IT{_GAP}\d{{11}}",
    "NL": rf"NL{_GAP}\d{{9}}B\d{{2}}",
    "PL": rf"PL{_GAP}\d{{3}}{_GAP}\d{{3}}{_GAP}\d{{2}}{_GAP}\d{{2}}",
    "LU": rf"LU{_GAP}\d{{8}}",
    "DK": rf"DK{_GAP}\d{{2}}{_GAP}\d{{2}}{_GAP}\d{{2}}{_GAP}\d{{2}}",
    "FI": rf"FI{_GAP}\d{{8}}",
    "SE": rf"SE{_GAP}\d{{10}}01",
    "PT": rf"PT{_GAP}\d{{9}}",
    "IE": rf"IE{_GAP}\d{{7}}[A-W][A-I]?",
    "ES": rf"ES{_GAP}[A-Z0-9]\d{{7}}[A-Z0-9]",
    "CHE": r"CHE[ -]?\d{3}\.?\d{3}\.?\d{3}(?: ?(?:MWST|TVA|IVA))?",
    "CZ": rf"CZ{_GAP}\d{{8,10}}",
    "HU": rf"HU{_GAP}\d{{8}}",
    "EL": rf"EL{_GAP}\d{{9}}",
    "RO": rf"RO{_GAP}\d{{6,10}}",
}


def has_valid_check_digits(country: str, written: str) -> bool | None:
    """Return whether the check digits are correct; None if there is no check for this kind of number."""
    check = _CHECKS.get(country)
    return None if check is None else check(written[2:] if len(country) == 2 else written[3:])


def _sum_weighted(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _check_germany(digits: str) -> bool:
    product = 10
    for digit in digits[:8]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == int(digits[8])


def _check_austria(rest: str) -> bool:
    digits = rest[1:]
    total = sum(sum(divmod(int(digit) * (1 + index % 2), 10)) for index, digit in enumerate(digits[:7]))
    return (96 - total) % 10 == int(digits[7])


def _check_france(rest: str) -> bool | None:
    if not rest[:2].isdigit():
        return None
    return int(rest[:2]) == (12 + 3 * (int(rest[2:]) % 97)) % 97


def _check_britain(digits: str) -> bool:
    total = _sum_weighted(digits, (8, 7, 6, 5, 4, 3, 2)) + int(digits[7:])
    return total % 97 == 0 or (total + 55) % 97 == 0


def _check_luhn(digits: str) -> bool:
    doubled = (int(digit) * (1 + index % 2) for index, digit in enumerate(reversed(digits)))
    return sum(sum(divmod(each, 10)) for each in doubled) % 10 == 0


def _check_netherlands(rest: str) -> bool:
    passes_mod11 = _sum_weighted(rest, (9, 8, 7, 6, 5, 4, 3, 2)) % 11 == int(rest[8])
    return passes_mod11 or int("".join(str(int(character, 36)) for character in f"NL{rest}")) % 97 == 1


def _check_ireland(rest: str) -> bool:
    extra = 9 * (ord(rest[8]) - 64) if len(rest) > 8 else 0
    return (_sum_weighted(rest[:7], (8, 7, 6, 5, 4, 3, 2)) + extra) % 23 == (ord(rest[7]) - 64) % 23


def _check_switzerland(rest: str) -> bool:
    digits = "".join(character for character in rest if character.isdigit())
    return (11 - _sum_weighted(digits, (5, 4, 3, 2, 7, 6, 5, 4)) % 11) % 11 == int(digits[8])


_CHECKS: dict[str, Callable[[str], bool | None]] = {
    "DE": _check_germany,
    "AT": _check_austria,
    "BE": lambda digits: 97 - int(digits[:8]) % 97 == int(digits[8:]),
    "FR": _check_france,
    "GB": _check_britain,
    "IT": _check_luhn,
    "NL": _check_netherlands,
    "PL": lambda digits: _sum_weighted(digits, (6, 5, 7, 2, 3, 4, 5, 6, 7)) % 11 == int(digits[9]),
    "LU": lambda digits: int(digits[:6]) % 89 == int(digits[6:]),
    "DK": lambda digits: _sum_weighted(digits, (2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0,
    "FI": lambda digits: (11 - _sum_weighted(digits, (7, 9, 10, 5, 8, 4, 2)) % 11) % 11 == int(digits[7]),
    "SE": lambda digits: _check_luhn(digits[:10]),
    "PT": lambda digits: (11 - _sum_weighted(digits, range(9, 1, -1)) % 11) % 11 % 10 == int(digits[8]),
    "IE": _check_ireland,
    "CHE": _check_switzerland,
}
