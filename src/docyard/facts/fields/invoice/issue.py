"""Number, issue date and due date of an invoice, receipt or order, found by the labels around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from docyard.facts.fields.layout.labels import fold_label
from docyard.facts.fields.layout.rows import Cell, Row
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.dates import WrittenDate, find_dates, find_eight_digit_dates
from docyard.model.facts import FieldValue

_DUE_LABEL = re.compile(
    r"\b(due|zahlbar|faellig|fallig\w*|zahlungsziel|zahlungsfrist|echeance|vervaldatum|vervaldag|scadenza"
    r"|vencimiento|vencimento|vence|vervalt"
    r"|uiterlijk|payment deadline|pay before|date limite|termin platnosci|platne do|forfallsdato|forfaldsdato"
    r"|forfallodag|erapaiva|splatnosti?|vto)\b|d.echeance"
    r"|\b(pay\w*|zahl\w*|uberweis\w*|begleich\w*|remit|betal\w*|regl\w*|pag\w*)\b.{0,50}"
    r"\b(by|until|before|bis|avant|voor|antes|entro|soit le)\b|^\W*(until|bis)\W*$"
)
_OTHER_DATE_LABEL = re.compile(
    r"\b(order|bestell\w*|auftrag\w*|commande|deliver\w*|liefer\w*|leistung\w*|livraison|ship\w*|expir\w*"
    r"|valid\w*"
    r"|birth|geb\w*|start\w*|period\w*|\w*zeitraum|from|von|since|vertrag\w*|print\w*|due|reprint|member\w*|leverdatum"
    r"|besteldatum"
    r"|closed|arriv\w*|check.?out|check.?in|event"
    r"|payment date|orderdatum|contract|quotation|gst act|act|law)\b|order\w*dat"
    r"|lieferschein"
)
_ISSUE_LABEL = re.compile(
    r"\b(invoice|bill|biz|issued?|receipt|rechnungs?|beleg|tax|facture|factuur|trans(action)?|doc(ument)?"
    r"|txn|inv)"
    r"\W{0,3}(date|dat|datum|dt|at|on)\b|rechnungsdatum|belegdatum|ausstellungsdatum|factuurdatum|date de"
    r" (la )?facture"
    r"|bizdate|date d.emission|data (fattura|documento)|fecha de (la )?factura|\bissued (at|on)\b|date of"
    r" (issue|invoice)|fecha de emision|dat[ae] (de|di) emiss\w+|data wystawienia|fakturadat"
    r"|^\W*issued\W*$|tax point|datum vystaveni"
    r"|date (de )?facturation|data da fa[ck]?tura|(bill|statement|credit note) date"
)
_ORDER_DATE_LABEL = re.compile(
    r"\b(order(ed)?|p\.?o\.?) (date|dated|on)\b|\bdate (of|ordered)( the)?( order)?\b"
    r"|bestelldatum|besteldatum|orderdatum|date de (la )?commande|fecha (de|del) pedido|data (dell.)?ordine"
    r"|\b(purchase order|bestellung|commande|pedido|ordine|bestelling) (vom|van|du|del|of|dated)\W*$"
)
_TOWN_BEFORE = re.compile(r"^\W*[^\W\d]+(?: [^\W\d]+){0,2},\s{0,3}(?:den|le|il|the|op|a)?\W*$")  # Kiel, den …
_DATE_LABEL = re.compile(r"\b(date|dated|datum|dato|data|fecha|tarikh|dt|den)\b|date\b")
_TIME = re.compile(r"\s{0,40}[-,]?\s{0,40}\d{1,2}[:.]\d\d")
_NUMBER_LABEL = re.compile(
    r"\b(?:invoice|inv|bill|receipt|doc(?:ument)?|\w{0,20}rechnungs?|facture|factuur|fattura|factura|fatura"
    r"|beleg|avoir|slip|pro ?forma(?: invoice)?|faktura(?: vat)?|liquidation|parcella|honorarnote"
    r"|credit (?:note|memo)|gutschrifts?|nota de cr[eé]dito|nota di credito|creditnota|credit ?nota"
    r"|cash bill|c/n|trans(?:action)?|order|ticket|rcpt"
    r"|involce)\W{0,3}"
    r"(?:(?:no|nr|num(?:ber)?|nummer|id|num[eé]ro|número|ref(?:erence)?)\b|#|n[º°.]|nº)\W{0,6}|\b(?:rechnungsnummer"
    r"|factuurnummer|fakturanummer|fakturanr|factuurnr|gutschriftsnummer|belegnummer)\W{0,6}"
    r"|\b(?:n[º°.]|num(?:ero|éro|\.)?|número|núm\.)\s{1,3}(?:de\s{1,3}(?:la\s{1,3})?|d[ai]\s{1,3})?"
    r"(?:facture|factura|fattura|fatura)\W{0,6}"
    r"|\b(?:invoice|bill|receipt)\s{0,40}#\W{0,4}|\b(?:faktura|doklad)\W{0,3}č\.?\s{0,3}"
)
_ORDER_NUMBER_LABEL = re.compile(
    r"\b(?:(?:purchase )?order|p\.?o\.?|bestell(?:ung)?s?|bestelling|(?:bon de )?commande|pedido|ordine"
    r"|auftrags?)\W{0,3}(?:(?:no|nr|num(?:ber)?|nummer|id|numero|numéro|número)\b|#|n[º°.])\W{0,6}"
    r"|\b(?:bestell(?:ungs)?nummer|bestelnummer|ordernummer|auftragsnummer)\W{0,6}"
    r"|(?:^|\s)(?:purchase order|bestellung|bon de commande)\s{1,40}#?\s{0,3}(?=\S*\d)"
)
_NUMBER_TITLE = re.compile(
    r"(?:^|\s)(?:invoice|rechnung|facture|avoir|fattura|factuur|fatura|faktura(?: vat)?"
    r"|factura|credit note|gutschrift)(?:\s{0,3}:)?\s{1,40}#?\s{0,40}(?=(?:(?:ft|fr|fs|nc|nd)\s)?\S*\d)"
)
_TITLE_ALONE = re.compile(r"\W*(?:tax )?(?:invoice|rechnung|facture|factuur|fattura|factura|credit note|gutschrift)\W*")
_NUMBER = re.compile(r"#?\s?[A-Za-z0-9][A-Za-z0-9/_.-]*(?:\s(?=\d{3,}\b)\d+(?:/\d{1,8})?)?")
_NUMBER_SIGN = re.compile(
    r"^\s{0,40}(?:#|(?:n[°º]|n[uú]m(?:ero|éro|er|\.)|number|nummer|no\.|nr\.)\W{0,4})\s{0,40}(?=\w)"
)
_LIST_PENALTY, _ORDER_BONUS, _SAME_COLUMN = 2.5, 5.5, 5.0
_TOP_ROWS, _EIGHT_DIGIT_ROWS, _MAX_ROWS = 14, 40, 400


class DateCandidate(NamedTuple):
    """A date with its score, its cell and its row."""

    score: float
    dated: WrittenDate
    cell: Cell
    row: Row


def find_issue_and_due_dates(
    rows: Sequence[Row], conventions: Conventions, *, order: bool = False
) -> Iterator[FieldValue]:
    """Yield the issue date and the due date if they are found; for an order, prefer its order date."""
    candidates = [*_find_candidates(rows[:_MAX_ROWS], conventions)] or [
        *_find_eight_digit_candidates(rows[:_EIGHT_DIGIT_ROWS])
    ]
    if order:
        candidates = [
            (each._replace(score=each.score + _score_order_label(label)), label) for each, label in candidates
        ]
    issued = max(candidates, key=lambda each: each[0].score, default=None)
    if issued is not None and issued[0].score > 0:
        yield _make_field("date", issued[0], min(0.97, 0.55 + 0.1 * issued[0].score))
    due = [each for each, label in candidates if _DUE_LABEL.search(label)]
    if due:
        yield _make_field("due_date", due[0], 0.85)


def _score_order_label(label: str) -> float:
    return _ORDER_BONUS if _ORDER_DATE_LABEL.search(label) else 0.0


def _make_field(name: str, candidate: DateCandidate, confidence: float) -> FieldValue:
    span = candidate.cell.span(candidate.row.page, candidate.dated.start, candidate.dated.end)
    value = candidate.cell.text[candidate.dated.start : candidate.dated.end]
    return FieldValue(name, value, candidate.dated.iso, round(confidence, 2), "rule", span)


def _find_candidates(rows: Sequence[Row], conventions: Conventions) -> Iterator[tuple[DateCandidate, str]]:
    for index, row in enumerate(rows):
        for column, cell in enumerate(row.cells):
            for dated in find_dates(cell.text, conventions):
                label = fold_label(_find_label(rows, index, column, dated.start))
                score = _score_label(label, index, bool(_TIME.match(cell.text[dated.end :])))
                score -= _LIST_PENALTY if dated.start == 0 and _is_listed(rows, index, cell) else 0.0
                yield DateCandidate(score, dated, cell, row), label


def _is_listed(rows: Sequence[Row], index: int, cell: Cell) -> bool:
    """Return whether dates are directly below each other, as in a list of events."""
    neighbours = [*rows[max(index - 1, 0) : index], *rows[index + 1 : index + 2]]
    return not any(
        each.left < cell.left and not any(map(str.isdigit, each.text)) for each in rows[index].cells
    ) and any(
        abs(each.left - cell.left) < _SAME_COLUMN and any(found.start == 0 for found in find_dates(each.text))
        for row in neighbours
        for each in row.cells
    )


def _find_eight_digit_candidates(rows: Sequence[Row]) -> Iterator[tuple[DateCandidate, str]]:
    for row in rows:
        for cell in row.cells:
            yield from ((DateCandidate(1.0, dated, cell, row), "") for dated in find_eight_digit_dates(cell.text))


def _find_label(rows: Sequence[Row], index: int, column: int, start: int) -> str:
    """Return the words before a date in its cell, else to its left or above it, preferring date labels."""
    row = rows[index]
    prefix = row.cells[column].text[:start]
    if re.search(r"[^\W\d]{2}", prefix):
        return prefix[-60:]
    to_left = (cell.text[-60:] for cell in reversed(row.cells[:column]) if re.search(r"[^\W\d]{2}", cell.text))
    left = next(to_left, "")
    above = _find_above(rows, index, row.cells[column])
    return above if not left or (_is_date_label(above) and not _is_date_label(left)) else left


def _is_date_label(label: str) -> bool:
    folded = fold_label(label)
    return any(pattern.search(folded) for pattern in (_DUE_LABEL, _OTHER_DATE_LABEL, _ISSUE_LABEL, _DATE_LABEL))


def _find_above(rows: Sequence[Row], index: int, cell: Cell) -> str:
    for row in reversed(rows[max(index - 2, 0) : index]):
        texts = [each.text for each in row.cells if min(each.right, cell.right) > max(each.left, cell.left)]
        if texts:
            return texts[-1]
    return ""


def _score_label(label: str, row: int, timed: bool) -> float:
    score = 2.0 - min(row, 60) * 0.02 + (0.8 if timed else 0.0)
    if _ISSUE_LABEL.search(label):
        return score + 3.0
    if _OTHER_DATE_LABEL.search(label) or _DUE_LABEL.search(label):
        return score - 2.5
    if _DATE_LABEL.search(label):
        return score + 2.0
    return score + (1.0 if _TOWN_BEFORE.match(label) else 0.0)


def find_number(rows: Sequence[Row], *, order: bool = False) -> FieldValue | None:
    """Return the number of an invoice or receipt; for an order, preferably the order number."""
    ordered = next(_find_numbers(rows[:_MAX_ROWS], _ORDER_NUMBER_LABEL, 0.88), None) if order else None
    if ordered is not None:
        return ordered
    found = [
        *_find_numbers(rows[:_MAX_ROWS], _NUMBER_LABEL, 0.88),
        *_find_numbers(rows[:_MAX_ROWS], _NUMBER_TITLE, 0.8),
        *_find_titled_numbers(rows[:_MAX_ROWS]),
        *_find_numbers(rows[:_TOP_ROWS], _NUMBER_SIGN, 0.6),
    ]
    own = [each for each in found if not _is_order_number(each, rows)]
    return next(iter(own or found), None)


def _find_titled_numbers(rows: Sequence[Row]) -> Iterator[FieldValue]:
    """Yield numbers in the cell right after the title of the document."""
    for row in rows:
        for title, cell in pairwise(row.cells):
            number = _NUMBER.fullmatch(cell.text.strip())
            if number and _TITLE_ALONE.fullmatch(fold_label(title.text)) and _is_number(cell.text):
                span = cell.span(row.page, 0, len(cell.text))
                yield FieldValue("number", cell.text, cell.text.lstrip("# "), 0.75, "rule", span)


def _is_order_number(number: FieldValue, rows: Sequence[Row]) -> bool:
    for row in rows:
        if number.span is not None and row.page == number.span.page and number.value in row.text:
            label = fold_label(row.text.split(number.value)[0])
            return bool(re.search(r"\b(order|trans\w*|ticket)\W{0,3}\w{0,6}\W{0,6}$", label))
    return False


def _find_numbers(rows: Sequence[Row], labels: re.Pattern[str], confidence: float) -> Iterator[FieldValue]:
    for index, row in enumerate(rows):
        for column, cell in enumerate(row.cells):
            folded = cell.text.casefold()
            for label in labels.finditer(folded) if len(folded) == len(cell.text) else ():
                # Polish invoices are numbered by month: 14/05/2024 is a number that looks like a date.
                by_month = label[0].startswith("faktura")
                value = _find_value(rows, index, column, label.end(), by_month=by_month)
                if value is not None:
                    value_cell, start, end = value
                    span = value_cell.span(row.page, start, end)
                    text = value_cell.text[start:end]
                    yield FieldValue("number", text, text.lstrip("# "), confidence, "rule", span)


def _find_value(
    rows: Sequence[Row], index: int, column: int, after: int, *, by_month: bool
) -> tuple[Cell, int, int] | None:
    """Return the number after a label: in its cell, in the next cell, or in the cell below."""
    row = rows[index]
    candidates = [(row.cells[column], after)]
    candidates += [(cell, 0) for cell in row.cells[column + 1 : column + 2]]
    below = rows[index + 1] if index + 1 < len(rows) else None
    if below is not None and below.page == row.page:
        candidates += [
            (each, 0)
            for each in below.cells
            if min(each.right, row.cells[column].right) > max(each.left, row.cells[column].left)
        ]
    for cell, start in candidates:
        if start == 0 and not any(map(str.isdigit, cell.text)):
            continue  # the header of another column
        separator = re.compile(r"[\s:.=-]*").match(cell.text, start)
        match = _NUMBER.match(cell.text, separator.end() if separator else start)
        if match and (_is_number(match[0]) or (by_month and "/" in match[0])):
            return cell, match.start(), match.end()
        if cell.text[start:].strip(" :.#-"):
            return None
    return None


def _is_number(text: str) -> bool:
    return sum(map(str.isdigit, text)) >= 1 and len(text) <= 40 and not find_dates(text)
