"""To whom an invoice is made out: the name after or below words such as 'bill to'."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from docyard.facts.fields.invoice.addressees import addressees
from docyard.facts.fields.layout.columns import cells_below
from docyard.facts.fields.layout.labels import fold, unfolded
from docyard.facts.fields.layout.rows import Cell, Row
from docyard.facts.notation.dates import find_dates
from docyard.model.facts import FieldValue

# Who pays; where goods are sent is another question.
_LABEL = re.compile(
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
# Where nobody is said to pay, whoever the goods of an export are for.
_CONSIGNEE = re.compile(r"\W*(?:consignee|importer(?: of record)?|importateur|importeur)(?!\w)\W{0,3}")
_SUPPLIER = re.compile(
    r"\W*(?:supplier|vendor|seller|lieferant(?:in)?|fournisseur|proveedor|fornitore|leverancier|dostawca"
    r"|fornecedor)(?: (?:name|details|address))?(?!\w)\W{0,3}"
)
_NO_NAME = re.compile(
    r"\b(?:gln|ship|deliver\w*|liefer\w*|address|adresse|phone|tel|fax|date|datum|no|nr|number|nummer|id|order|vat"
    r"|ust|invoice|rechnung\w*|facture|factura|fattura|cif|nif|siret|terms|same)\b|\d{3,}|@"
    r"|^\W*(?:to|an) (?:the|die|den|das)\b|^\W*(?:herrn?|frau)\W*$|\bz\. ?hd\b|\bc/o\b|\bt\.?a\.?v\b|\battn\b"
)
_SENT_TO = re.compile(
    r"\b(ship\w*|deliver\w*|liefer\w*|warenempf\w*|(adresse de )?livraison|job site|lever\w*|entrega)\b"
)
_MOST_ROWS, _BELOW = 60, 4
_BY_PLACE = 0.6
_SAME_COLUMN = 5.0
_REFERENCE = re.compile(r"[A-Za-z]{0,6}[-/]?\d[\w/.-]*")


def buyer_of(rows: Sequence[Row]) -> FieldValue | None:
    """Whoever is said to buy; else to whom the goods go out of the country."""
    return _labelled(rows, _LABEL) or _labelled(rows, _CONSIGNEE)


def supplier_of(rows: Sequence[Row]) -> FieldValue | None:
    """Who is to deliver what an order asks for, where a label says so."""
    found = _labelled(rows, _SUPPLIER)
    return replace(found, name="seller") if found is not None else None


def _labelled(rows: Sequence[Row], labels: re.Pattern[str]) -> FieldValue | None:
    """The first name after such a label, in its cell or below it in the same column."""
    for number, row in enumerate(rows[:_MOST_ROWS]):
        for place, cell in enumerate(row.cells):
            label = labels.match(fold(cell.text))
            after = unfolded(cell.text, label.end()) if label else 0
            if label is None or not _ends(cell.text, after):
                continue
            if _is_name(cell.text[after:]):
                return _field(row, cell, after)
            alone = not cell.text[after:].strip()
            below = _below(rows[number + 1 : number + 1 + _BELOW], cell) if alone else None
            beside = row.cells[place + 1 : place + 2] if alone and ":" in cell.text else ()
            if alone and not beside and _heads_values(rows, number, cell):
                beside = row.cells[place + 1 : place + 2]
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


def _heads_values(rows: Sequence[Row], number: int, label: Cell) -> bool:
    """Whether the labels of this column have their values beside them: a day or a number stands there."""
    for row in rows[max(number - _BELOW, 0) : number + _BELOW]:
        for cell, value in pairwise(row.cells):
            plain = not any(map(str.isdigit, cell.text)) and abs(cell.left - label.left) < _SAME_COLUMN
            if plain and (find_dates(value.text) or _REFERENCE.fullmatch(value.text.strip())):
                return True
    return False


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
