"""The fields of an invoice or receipt, from what its pages show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from docyard.facts.fields.invoice.bank import ibans_of
from docyard.facts.fields.invoice.buyer import addressed_buyer, buyer_of, supplier_of
from docyard.facts.fields.invoice.figures import Figure, figures_of
from docyard.facts.fields.invoice.issue import issued_and_due, number_of
from docyard.facts.fields.invoice.seller import seller_of
from docyard.facts.fields.invoice.totals import totals_of
from docyard.facts.fields.layout.document_text import Paper
from docyard.facts.fields.layout.rows import Row, rows_of
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.currencies import find_currencies
from docyard.facts.notation.regions import dollar_currency
from docyard.model.facts import FieldValue
from docyard.model.text.pages import Page

_MOST_PAGES = 8  # the last pages of a long one are terms and lists
_LONGEST_ROW, _MOST_ROWS = 500, 1_000  # letters; rows


def invoice_fields(
    pages: Sequence[Page], conventions: Conventions, *, receipt: bool, order: bool = False
) -> Iterator[FieldValue]:
    """All fields that are found, each with its place."""
    looked_at = pages[:_MOST_PAGES]
    paper, rows = Paper(looked_at), _rows(looked_at)
    yield from _order_parties(rows) if order else _parties(rows, receipt=receipt)
    number = number_of(rows, order=order)
    if number is not None:
        yield number
    yield from issued_and_due(rows, conventions, order=order)
    yield from _amounts(rows, paper, conventions)
    yield from ibans_of(paper)


def _parties(rows: Sequence[Row], *, receipt: bool) -> Iterator[FieldValue]:
    """Who sells and who buys: what a label says is believed first, and nobody is both."""
    buyer = None if receipt else buyer_of(rows)
    seller = seller_of(rows, receipt=receipt, buyer=buyer.normal if buyer else "")
    if seller is not None:
        yield seller
        if buyer is None and not receipt:
            buyer = addressed_buyer(rows, seller.normal)
    if buyer is not None:
        yield buyer


def _order_parties(rows: Sequence[Row]) -> Iterator[FieldValue]:
    """An order is written by who buys, so the name at its head sells only where a label says so."""
    seller = supplier_of(rows)
    buyer = seller_of(rows, receipt=False, buyer=seller.normal if seller else "")
    if seller is not None:
        yield seller
        if buyer is not None:
            yield replace(buyer, name="buyer")


def _rows(pages: Sequence[Page]) -> list[Row]:
    return [row for row in rows_of(pages) if len(row.text) <= _LONGEST_ROW][:_MOST_ROWS]


def _amounts(rows: Sequence[Row], paper: Paper, conventions: Conventions) -> Iterator[FieldValue]:
    figures = figures_of(rows, conventions)
    found = totals_of(figures)
    named = (("total", found.total), ("net", found.net), ("tax", found.tax), ("payable", found.payable))
    for name, figure in named:
        if figure is not None:
            sure = found.confidence if name == "total" else min(found.confidence, 0.8)
            yield FieldValue(name, figure.text, f"{figure.value:.2f}", sure, "rule", figure.span)
    if found.total is not None:
        yield from _currency(paper, found.total)


def _currency(paper: Paper, total: Figure) -> Iterator[FieldValue]:
    """The currency of the total, else the one that is named most."""
    theirs = dollar_currency(paper.text) if total.currency == "USD" and "US" not in total.text else None
    if theirs is not None:
        yield FieldValue("currency", total.text, theirs, 0.8, "rule", total.span)
        return
    if total.currency is not None:
        yield FieldValue("currency", total.text, total.currency, 0.9, "rule", total.span)
        return
    named = list(find_currencies(paper.text))
    if named:
        most, count = Counter(each.code for each in named).most_common(1)[0]
        place = next(each for each in named if each.code == most)
        sure = 0.9 if count == len(named) else 0.7
        yield paper.field("currency", place.start, place.end, most, confidence=sure)
