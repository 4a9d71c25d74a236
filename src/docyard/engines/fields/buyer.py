"""To whom an invoice is made out: the name after or below words such as 'bill to'."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from docyard.engines.fields.addressees import addressees
from docyard.engines.fields.columns import cells_below
from docyard.engines.fields.labels import fold, unfolded
from docyard.engines.fields.rows import Cell, Row
from docyard.model.facts import FieldValue

# Who pays; where goods are sent is another question.
_LABEL = re.compile(
    r"\W*(?:(?:bill(?:ed|ing)?|invoiced?|sold|charged|issued) (?:to|for)(?: address)?|(?:billing"
    r"|invoice) address"
    r"|(?:customer|client|buyer|purchaser|guest|patient|payer)(?: (?:name|details|address))?|prepared for"
    r"|rechnungsempfanger(?:in)?|rechnungsadresse|rechnungsanschrift|kaufer(?:in)?|rechnung an|kund(?:e"
    r"|in)|auftraggeber(?:in)?"
    r"|empfanger(?:in)?|adresse de facturation|facture a|client|acheteur|destinataire|adresse a"
    r"|factuur(?:adres| aan)|klant|afnemer|debiteur|(?:datos del |datos de )?cliente|facturar a|comprador"
    r"|destinatario"
    r"|cessionario(?:/committente)?|intestatario|spett\.?(?:le)?|to|an|a|aan)(?!\w)\W{0,3}"
)
_NO_NAME = re.compile(
    r"\b(?:gln|ship|deliver\w*|liefer\w*|address|adresse|phone|tel|fax|date|datum|no|nr|number|nummer|id|order|vat"
    r"|ust|invoice|rechnung\w*|herrn?|frau|facture|factura|fattura|cif|nif|siret|terms|same)\b|\d{3,}|@"
)
_SENT_TO = re.compile(
    r"\b(ship\w*|deliver\w*|liefer\w*|warenempf\w*|(adresse de )?livraison|job site|lever\w*|entrega)\b"
)
_MOST_ROWS, _BELOW = 60, 4
_BY_PLACE = 0.6


def buyer_of(rows: Sequence[Row]) -> FieldValue | None:
    """The first name after such a label, in its cell or below it in the same column."""
    for number, row in enumerate(rows[:_MOST_ROWS]):
        for place, cell in enumerate(row.cells):
            label = _LABEL.match(fold(cell.text))
            after = unfolded(cell.text, label.end()) if label else 0
            if label is None or not _ends(cell.text, after):
                continue
            if _is_name(cell.text[after:]):
                return _field(row, cell, after)
            alone = not cell.text[after:].strip()
            below = _below(rows[number + 1 : number + 1 + _BELOW], cell) if alone else None
            beside = row.cells[place + 1 : place + 2] if alone and ":" in cell.text else ()
            if beside and _is_name(beside[0].text):
                return _field(row, beside[0], 0)
            if below is not None:
                return _field(*below, 0)
    return None


def addressed_buyer(rows: Sequence[Row], seller: str) -> FieldValue | None:
    """Where no label tells, the first name above an address that is not the seller's: a letter's window."""
    known, sent = _letters(seller), cells_below(rows, _SENT_TO, 5)
    for row, cell in addressees(rows[:_MOST_ROWS]):
        name = _letters(cell.text)
        if _is_name(cell.text) and known and not _inside(name, known) and (row.page, id(cell)) not in sent:
            return replace(_field(row, cell, 0), confidence=_BY_PLACE)
    return None


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", fold(name))


def _inside(one: str, other: str) -> bool:
    return one in other or other in one


def _ends(text: str, at: int) -> bool:
    """Whether the label stands alone or before a colon; else it is a word of a sentence."""
    return at >= len(text.rstrip()) or ":" in text[:at]


def _below(rows: Sequence[Row], label: Cell) -> tuple[Row, Cell] | None:
    for row in rows:
        for cell in row.cells:
            if abs(cell.left - label.left) < max(label.right - label.left, 60) and _is_name(cell.text):
                return row, cell
    return None


def _is_name(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    return (
        letters >= 3
        and text[:1] != "("
        and ":" not in text
        and letters > 0.6 * len(text.strip())
        and not _NO_NAME.search(fold(text))
    )


def _field(row: Row, cell: Cell, start: int) -> FieldValue:
    start += len(cell.text[start:]) - len(cell.text[start:].lstrip())
    shown = cell.text[start:].rstrip(" ,")
    span = cell.span(row.page, start, start + len(shown))
    return FieldValue("buyer", shown, " ".join(shown.split()), 0.75, "rule", span)
