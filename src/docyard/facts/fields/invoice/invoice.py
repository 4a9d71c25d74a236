"""Fields of an invoice, receipt or purchase order, read from its pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from docyard.facts.fields.invoice.bank import read_ibans
from docyard.facts.fields.invoice.buyer import find_addressed_buyer, find_buyer, find_supplier
from docyard.facts.fields.invoice.figures import Figure, read_figures
from docyard.facts.fields.invoice.issue import find_issue_and_due_dates, find_number
from docyard.facts.fields.invoice.seller import find_seller
from docyard.facts.fields.invoice.totals import choose_totals
from docyard.facts.fields.layout.document_text import DocumentText
from docyard.facts.fields.layout.rows import Row, read_rows
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.currencies import DOLLAR, find_currencies
from docyard.model.facts import FieldValue
from docyard.model.text.pages import Page

_MAX_PAGES = 8  # later pages contain terms and lists
_MAX_ROW_CHARS, _MAX_ROWS = 500, 1_000
_UNCLEAR_DOLLAR = 0.5  # confidence of a "$" that may mean several currencies


def read_invoice_fields(
    pages: Sequence[Page], conventions: Conventions, *, receipt: bool, order: bool = False
) -> Iterator[FieldValue]:
    """Yield all fields found, each with its span."""
    first_pages = pages[:_MAX_PAGES]
    document, rows = DocumentText(first_pages), _select_rows(first_pages)
    yield from _find_order_parties(rows) if order else _find_parties(rows, receipt=receipt)
    number = find_number(rows, order=order)
    if number is not None:
        yield number
    yield from find_issue_and_due_dates(rows, conventions, order=order)
    yield from _find_totals(rows, document, conventions)
    yield from read_ibans(document)


def _find_parties(rows: Sequence[Row], *, receipt: bool) -> Iterator[FieldValue]:
    """Yield seller and buyer; a labelled buyer takes precedence, and no party is both."""
    buyer = None if receipt else find_buyer(rows)
    seller = find_seller(rows, receipt=receipt, buyer=buyer.normal if buyer else "")
    if seller is not None:
        yield seller
        if buyer is None and not receipt:
            buyer = find_addressed_buyer(rows, seller.normal)
    if buyer is not None:
        yield buyer


def _find_order_parties(rows: Sequence[Row]) -> Iterator[FieldValue]:
    """Yield the labelled supplier of an order as seller, and the name at the top as buyer.

    Yield nothing if no supplier is labelled.
    """
    seller = find_supplier(rows)
    buyer = find_seller(rows, receipt=False, buyer=seller.normal if seller else "")
    if seller is not None:
        yield seller
        if buyer is not None:
            yield replace(buyer, name="buyer")


def _select_rows(pages: Sequence[Page]) -> list[Row]:
    return [row for row in read_rows(pages) if len(row.text) <= _MAX_ROW_CHARS][:_MAX_ROWS]


def _find_totals(rows: Sequence[Row], document: DocumentText, conventions: Conventions) -> Iterator[FieldValue]:
    figures = read_figures(rows, conventions)
    totals = choose_totals(figures)
    chosen = (("total", totals.total), ("net", totals.net), ("tax", totals.tax), ("payable", totals.payable))
    for name, figure in chosen:
        if figure is not None:
            confidence = totals.confidence if name == "total" else min(totals.confidence, 0.8)
            yield FieldValue(name, figure.text, f"{figure.value:.2f}", confidence, "rule", figure.span)
    if totals.total is not None:
        yield from _find_currency(document, totals.total, conventions.dollar)


def _find_currency(document: DocumentText, total: Figure, dollar: str | None) -> Iterator[FieldValue]:
    """Yield the currency of the total, else the one named most often; a sign if it is unclear which dollar it means."""
    if total.currency is not None:
        confidence = _UNCLEAR_DOLLAR if total.currency == DOLLAR else 0.9
        yield FieldValue("currency", total.text, total.currency, confidence, "rule", total.span)
        return
    known = {DOLLAR: dollar or DOLLAR}
    named = [each._replace(code=known.get(each.code, each.code)) for each in find_currencies(document.text)]
    if named:
        code, count = Counter(each.code for each in named).most_common(1)[0]
        first = next(each for each in named if each.code == code)
        confidence = 0.9 if count == len(named) else 0.7
        confidence = min(confidence, _UNCLEAR_DOLLAR) if code == DOLLAR else confidence
        yield document.make_field("currency", first.start, first.end, code, confidence=confidence)
