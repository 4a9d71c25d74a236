"""IBANs and VAT numbers, believed by their check digits, and numbers of invoices by what announces them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.facts.entities.spans import Found
from docyard.facts.entities.vat import PATTERNS, right
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.dates import is_date

# How long an IBAN of each country is.
_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29,
    "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29,
    "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
    "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20,
    "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22,
    "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25,
    "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27,
    "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip
# A look ahead, so that what follows one number can be the next.
_IBAN = re.compile(r"(?<![A-Za-z0-9])(?=([A-Z]{2}\d{2}(?:[ \u00a0-]?[A-Z0-9]){11,30}))")
_FILLING = re.compile(r"[\s\u00a0.-]")
_VAT = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    + "|".join(f"(?P<{country}>{written})" for country, written in PATTERNS.items())
    + r")(?![A-Za-z0-9])"
)
_VAT_CUE = re.compile(
    r"(?:VAT|V\.A\.T\.|USt|UID|Umsatzsteuer|TVA|BTW|IVA|MWST|MwSt|moms|NIP|P\.\s?IVA|intracommunautaire"
    r"|tax)\W*(?:\w*\W+){0,4}$",
    re.IGNORECASE,
)
_INVOICE = re.compile(
    r"\b(?:(?:tax\s+)?invoice|receipt|bill|credit\s+note|rechnung|gutschrift|facture|fattura|factura|fatura"
    r"|factuur)"
    r"s?[\s-]*(?:(?:number|num|nummer|numéro|numero|nr|no|id)\b\.?|n°|nº|№|n\.|\#)\s*[:.#]?\s*"
    r"(?P<number>[A-Z0-9](?:[A-Z0-9]|[-/_.](?=[A-Z0-9]))*)(?![\w])",
    re.IGNORECASE,
)
_LOOKED_BACK = 60
_LONGEST = 30


def ibans(text: str, _conventions: Conventions) -> Iterator[Found]:
    """Account numbers with right check digits; the normal form has no spaces."""
    for match in _IBAN.finditer(text):
        end = _end_of_iban(text, match.start(), match.end(1))
        written = _FILLING.sub("", text[match.start() : end])
        if len(written) == _LENGTHS.get(written[:2]) and _mod97(written):
            yield Found("iban", match.start(), end, written, 0.99)


def _end_of_iban(text: str, start: int, end: int) -> int:
    """Where the country's length is reached: what follows may look like more of it."""
    left = _LENGTHS.get(text[start : start + 2], 0)
    for at in range(start, end):
        left -= text[at].isalnum()
        if not left:
            return at + 1
    return end


def _mod97(written: str) -> bool:
    turned = written[4:] + written[:4]
    return int("".join(str(int(letter, 36)) for letter in turned)) % 97 == 1


def vat_numbers(text: str, _conventions: Conventions) -> Iterator[Found]:
    """Numbers with right check digits; of countries whose rule is not known here, announced ones."""
    for match in _VAT.finditer(text):
        country = match.lastgroup or ""
        written = _FILLING.sub("", match[0]).upper()
        announced = bool(_VAT_CUE.search(text[max(0, match.start() - _LOOKED_BACK) : match.start()]))
        checked = right(country, written)
        if checked or (checked is None and announced):
            yield Found("vat_number", match.start(), match.end(), written, 0.98 if checked else 0.85)


def invoice_numbers(text: str, _conventions: Conventions) -> Iterator[Found]:
    """What follows "invoice no." and its like, and has a digit."""
    for match in _INVOICE.finditer(text):
        number = match["number"]
        known = any(letter.isdigit() for letter in number) and len(number) <= _LONGEST
        if known and not is_date(number):
            yield Found("invoice_number", match.start("number"), match.end("number"), number.upper(), 0.92)
