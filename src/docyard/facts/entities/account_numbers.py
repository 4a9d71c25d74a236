"""IBANs and VAT numbers, verified by their check digits, and invoice numbers, recognised by their labels."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.facts.entities.spans import NamedSpan
from docyard.facts.entities.vat import VAT_PATTERNS, has_valid_check_digits
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.dates import is_date

# Length of an IBAN by country.
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29,
    "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29,
    "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
    "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20,
    "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22,
    "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25,
    "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27,
    "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip
# A lookahead, so that the next number may begin inside the text matched for the previous one.
_IBAN = re.compile(r"(?<![A-Za-z0-9])(?=([A-Z]{2}\d{2}(?:[ \u00a0-]?[A-Z0-9]){11,30}))")
_SEPARATORS = re.compile(r"[\s\u00a0.-]")
_VAT = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    + "|".join(f"(?P<{country}>{written})" for country, written in VAT_PATTERNS.items())
    + r")(?![A-Za-z0-9])"
)
_VAT_LABEL = re.compile(
    r"(?:VAT|V\.A\.T\.|USt|UID|Umsatzsteuer|TVA|BTW|IVA|MWST|MwSt|moms|NIP|P\.\s?IVA|intracommunautaire"
    r"|tax)\W*(?:\w*\W+){0,4}$",
    re.IGNORECASE,
)
_INVOICE_NUMBER = re.compile(
    r"\b(?:(?:tax\s+)?invoice|receipt|bill|credit\s+note|rechnung|gutschrift|facture|fattura|factura|fatura"
    r"|factuur)"
    r"s?[\s-]*(?:(?:number|num|nummer|numéro|numero|nr|no|id)\b\.?|n°|nº|№|n\.|\#)\s*[:.#]?\s*"
    r"(?P<number>[A-Z0-9](?:[A-Z0-9]|[-/_.](?=[A-Z0-9]))*)(?![\w])",
    re.IGNORECASE,
)
_LABEL_CHARS = 60
_MAX_CHARS = 30


def find_ibans(text: str, _conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield IBANs with correct check digits; the normal form has no spaces."""
    for match in _IBAN.finditer(text):
        end = _find_iban_end(text, match.start(), match.end(1))
        written = _SEPARATORS.sub("", text[match.start() : end])
        if len(written) == _IBAN_LENGTHS.get(written[:2]) and _passes_mod97(written):
            yield NamedSpan("iban", match.start(), end, written, 0.99)


def _find_iban_end(text: str, start: int, end: int) -> int:
    """Return where an IBAN with its country's length ends; the text after it may look like part of it."""
    remaining = _IBAN_LENGTHS.get(text[start : start + 2], 0)
    for offset in range(start, end):
        remaining -= text[offset].isalnum()
        if not remaining:
            return offset + 1
    return end


def _passes_mod97(written: str) -> bool:
    rearranged = written[4:] + written[:4]
    return int("".join(str(int(character, 36)) for character in rearranged)) % 97 == 1


def find_vat_numbers(text: str, _conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield VAT numbers with correct check digits, or with a label if the digits cannot be checked."""
    for match in _VAT.finditer(text):
        country = match.lastgroup or ""
        written = _SEPARATORS.sub("", match[0]).upper()
        labelled = bool(_VAT_LABEL.search(text[max(0, match.start() - _LABEL_CHARS) : match.start()]))
        valid = has_valid_check_digits(country, written)
        if valid or (valid is None and labelled):
            yield NamedSpan("vat_number", match.start(), match.end(), written, 0.98 if valid else 0.85)


def find_invoice_numbers(text: str, _conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield the numbers after labels such as "invoice no."; they must have a digit and not be a date."""
    for match in _INVOICE_NUMBER.finditer(text):
        number = match["number"]
        plausible = any(character.isdigit() for character in number) and len(number) <= _MAX_CHARS
        if plausible and not is_date(number):
            yield NamedSpan("invoice_number", match.start("number"), match.end("number"), number.upper(), 0.92)
