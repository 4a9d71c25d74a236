"""The buyer of an invoice: the name after or below a label such as 'bill to', else above an address."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from docyard.facts.fields.invoice.addressees import find_addressees
from docyard.facts.fields.layout.columns import find_cells_below
from docyard.facts.fields.layout.labels import fold_label, unfold_offset
from docyard.facts.fields.layout.rows import Cell, Row
from docyard.facts.notation.dates import find_dates
from docyard.model.facts import FieldValue

# Labels of the party that pays, not of the delivery address.
_BUYER_LABEL = re.compile(
    r"\W*(?:(?:bill(?:ed|ing)?|invoiced?|sold|charged|issued) (?:to|for)(?: address)?|(?:billing"
    r"|invoice) address"
    r"|(?:customer|client|buyer|purchaser|guest|patient|payer)(?: (?:name|details|address"
    r"|\((?:bill|sold) to\)))?|prepared for"
    r"|(?:invoice )?recipient|messrs\.?"
    r"|rechnungsempfanger(?:in)?|rechnungsadresse|rechnungsanschrift|kaufer(?:in)?|rechnung an|kund(?:e"
    r"|in)|auftraggeber(?:in)?"
    r"|leistungsempfanger(?:in)?|besteller(?:in)?|debitor"
    r"|empfanger(?:in)?|adresse de facturation|facture a|client|acheteur|destinataire|adresse a"
    r"|donneur d.ordre|facturee a"
    r"|factuur(?:adres| aan)|klant(?:gegevens)?|afnemer|debiteur|opdrachtgever"
    r"|(?:datos del |datos de |dados do )?cliente|facturar a|comprador"
    r"|destinatario|receptor|adquirente|faturar a|exm[oa]\.?\(?s?\)?\.? sr[a.]?\.?\(?s?\)?"
    r"|cessionario(?:/committente)?|committente|intestatario|spett\.?(?:le)?"
    r"|nabywca|kupujacy|odberatel|kupec|kund|kunde|kober|kjoper|vevo|to|an|a|aan)(?!\w)\W{0,3}"
)
# Labels of the recipient of exported goods, used if no label names the buyer.
_CONSIGNEE_LABEL = re.compile(r"\W*(?:consignee|importer(?: of record)?|importateur|importeur)(?!\w)\W{0,3}")
_SUPPLIER_LABEL = re.compile(
    r"\W*(?:supplier|vendor|seller|lieferant(?:in)?|fournisseur|proveedor|fornitore|leverancier|dostawca"
    r"|fornecedor)(?: (?:name|details|address))?(?!\w)\W{0,3}"
)
_NOT_A_NAME = re.compile(
    r"\b(?:gln|ship|deliver\w*|liefer\w*|address|adresse|phone|tel|fax|date|datum|no|nr|number|nummer|id|order|vat"
    r"|ust|invoice|rechnung\w*|facture|factura|fattura|cif|nif|siret|terms|same)\b|\d{3,}|@"
    r"|^\W*(?:to|an) (?:the|die|den|das)\b|^\W*(?:herrn?|frau)\W*$|\bz\. ?hd\b|\bc/o\b|\bt\.?a\.?v\b|\battn\b"
)
_DELIVERY_LABEL = re.compile(
    r"\b(ship\w*|deliver\w*|liefer\w*|warenempf\w*|(adresse de )?livraison|job site|lever\w*|entrega)\b"
)
_MAX_ROWS, _NEARBY_ROWS = 60, 4
_POSITION_CONFIDENCE = 0.6
_SAME_COLUMN = 5.0
_REFERENCE = re.compile(r"[A-Za-z]{0,6}[-/]?\d[\w/.-]*")


def find_buyer(rows: Sequence[Row]) -> FieldValue | None:
    """Return the party labelled as the buyer, else the consignee of an export."""
    return _find_labelled(rows, _BUYER_LABEL) or _find_labelled(rows, _CONSIGNEE_LABEL)


def find_supplier(rows: Sequence[Row]) -> FieldValue | None:
    """Return the party labelled as the supplier of an order, as the field "seller"."""
    found = _find_labelled(rows, _SUPPLIER_LABEL)
    return replace(found, name="seller") if found is not None else None


def _find_labelled(rows: Sequence[Row], labels: re.Pattern[str]) -> FieldValue | None:
    """Return the first name after one of the labels: in its cell, in the next cell, or below it."""
    for index, row in enumerate(rows[:_MAX_ROWS]):
        for column, cell in enumerate(row.cells):
            label = labels.match(fold_label(cell.text))
            after = unfold_offset(cell.text, label.end()) if label else 0
            if label is None or not _is_complete_label(cell.text, after):
                continue
            if _is_name(cell.text[after:]):
                return _make_field(row, cell, after)
            alone = not cell.text[after:].strip()
            below = _find_below(rows[index + 1 : index + 1 + _NEARBY_ROWS], cell) if alone else None
            right = row.cells[column + 1 : column + 2] if alone and ":" in cell.text else ()
            if alone and not right and _has_values_to_right(rows, index, cell):
                right = row.cells[column + 1 : column + 2]
            if right and _is_name(right[0].text):
                return _make_field(row, right[0], 0)
            if below is not None:
                return _make_field(*below, 0)
    return None


def find_addressed_buyer(rows: Sequence[Row], seller: str) -> FieldValue | None:
    """Return the first name above an address, as in a letter; skip the seller and delivery addresses."""
    seller_key, delivery_cells = _fold_name(seller), find_cells_below(rows, _DELIVERY_LABEL, 5)
    for row, cell in find_addressees(rows[:_MAX_ROWS]):
        key = _fold_name(cell.text)
        if (
            _is_name(cell.text)
            and seller_key
            and not _are_nested(key, seller_key)
            and (row.page, id(cell)) not in delivery_cells
        ):
            return replace(_make_field(row, cell, 0), confidence=_POSITION_CONFIDENCE)
    return None


def _fold_name(name: str) -> str:
    return re.sub(r"[\W_]", "", fold_label(name))


def _are_nested(one: str, other: str) -> bool:
    return one in other or other in one


def _is_complete_label(text: str, end: int) -> bool:
    """Return whether the label is alone in its cell or before a colon, and not a word of a sentence."""
    return end >= len(text.rstrip()) or ":" in text[:end]


def _has_values_to_right(rows: Sequence[Row], index: int, label: Cell) -> bool:
    """Return whether nearby labels in the same column have a date or a number to their right."""
    for row in rows[max(index - _NEARBY_ROWS, 0) : index + _NEARBY_ROWS]:
        for cell, value in pairwise(row.cells):
            is_label = not any(map(str.isdigit, cell.text)) and abs(cell.left - label.left) < _SAME_COLUMN
            if is_label and (find_dates(value.text) or _REFERENCE.fullmatch(value.text.strip())):
                return True
    return False


def _find_below(rows: Sequence[Row], label: Cell) -> tuple[Row, Cell] | None:
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
        and not _NOT_A_NAME.search(fold_label(text))
    )


def _make_field(row: Row, cell: Cell, start: int) -> FieldValue:
    start += len(cell.text[start:]) - len(cell.text[start:].lstrip())
    value = cell.text[start:].rstrip(" ,")
    span = cell.span(row.page, start, start + len(value))
    return FieldValue("buyer", value, " ".join(value.split()), 0.75, "rule", span)
