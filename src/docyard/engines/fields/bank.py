"""Bank accounts by their IBAN, whose check digits tell a misread one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.engines.fields.paper import Paper
from docyard.model.facts import FieldValue

_IBAN = re.compile(r"\b[A-Z]{2}\d\d(?:[ \u00a0]?[A-Z0-9]){11,30}\b")
_LENGTHS = {
    "AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20, "ES":
    24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IS": 26, "IT": 27,
    "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT":
    25, "RO": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TR": 26,
}  # fmt: skip


def ibans_of(paper: Paper) -> Iterator[FieldValue]:
    """The accounts that a text names, each once."""
    seen: set[str] = set()
    for match in _IBAN.finditer(paper.text):
        cut = _whole(match[0])
        plain = "".join(match[0][:cut].split())
        if cut and plain not in seen:
            seen.add(plain)
            yield paper.field("iban", match.start(), match.start() + cut, plain, confidence=0.98)


def _whole(text: str) -> int:
    """Where the account ends in a text that may run on into other letters; 0 where it is none."""
    length = _LENGTHS.get(text[:2], 0)
    count = 0
    for place, letter in enumerate(text):
        count += not letter.isspace()
        if count == length:
            plain = "".join(text[: place + 1].split())
            return place + 1 if _checks(plain) else 0
    return 0


def _checks(iban: str) -> bool:
    turned = iban[4:] + iban[:4]
    return int("".join(str(int(letter, 36)) for letter in turned)) % 97 == 1
