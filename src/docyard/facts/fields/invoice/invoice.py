"""The fields of an invoice or receipt, from what its pages show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from docyard.facts.fields.amounts import currencies_in
from docyard.facts.fields.dates import day_first_in
from docyard.facts.fields.invoice.bank import ibans_of
from docyard.facts.fields.invoice.buyer import addressed_buyer, buyer_of, supplier_of
from docyard.facts.fields.invoice.figures import Figure, figures_of
from docyard.facts.fields.invoice.issue import issued_and_due, number_of
from docyard.facts.fields.invoice.seller import seller_of
from docyard.facts.fields.invoice.totals import totals_of
from docyard.facts.fields.layout.document_text import Paper
from docyard.facts.fields.layout.rows import Row, rows_of
from docyard.model.facts import FieldValue
from docyard.model.text.pages import Page

_MOST_PAGES = 8  # the last pages of a long one are terms and lists
_LONGEST_ROW, _MOST_ROWS = 500, 1_000  # letters; rows
_AMERICAN = re.compile(
    r"\b[A-Z]{2} \d{5}(?:-\d{4})?\b|\bUSA\b|\bU\.S\.|\bEIN\b|\bState of [A-Z]|,? Inc\.|\bLLC\b"
    r"|\b(?:Delaware|California|Nevada|Texas|Florida|New York|Illinois|Massachusetts|New Jersey"
    r"|Pennsylvania|Ohio)\b"
)

# By which a bill with a bare "$" says in which country it was written.
_DOLLARS = (
    ("AUD", re.compile(r"\bABN\b|\bAustralia\b|\b(?:NSW|VIC|QLD|TAS|ACT|SA|WA|NT)\s{1,2}\d{4}\b")),
    ("CAD", re.compile(r"\b(?:HST|QST|TVQ|Canada)\b|\b[A-Z]\d[A-Z] ?\d[A-Z]\d\b")),
    ("NZD", re.compile(r"\bNew Zealand\b|\bNZBN\b")),
    ("SGD", re.compile(r"\bSingapore \d{6}\b")),
    ("HKD", re.compile(r"\bHong Kong\b")),
)


def invoice_fields(
    pages: Sequence[Page], language: str | None, *, receipt: bool, order: bool = False
) -> Iterator[FieldValue]:
    """All fields that are found, each with its place."""
    looked_at = pages[:_MOST_PAGES]
    paper, rows = Paper(looked_at), _rows(looked_at)
    yield from _order_parties(rows) if order else _parties(rows, receipt=receipt)
    number = number_of(rows, order=order)
    if number is not None:
        yield number
    yield from issued_and_due(rows, day_first=writes_day_first(paper.text, language), order=order)
    yield from _amounts(rows, paper)
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


def writes_day_first(text: str, language: str | None) -> bool:
    """Whether 03/04/2026 is the third of April: by the other dates, else by where it was written."""
    told = day_first_in(text)
    if told is not None:
        return told
    return language not in (None, "en") or not _AMERICAN.search(text)


def _amounts(rows: Sequence[Row], paper: Paper) -> Iterator[FieldValue]:
    figures = figures_of(rows)
    found = totals_of(figures)
    named = (("total", found.total), ("net", found.net), ("tax", found.tax), ("payable", found.payable))
    for name, figure in named:
        if figure is not None:
            sure = found.confidence if name == "total" else min(found.confidence, 0.8)
            yield FieldValue(name, figure.text, f"{figure.value:.2f}", sure, "rule", figure.span)
    if found.total is not None:
        yield from _currency(paper, found.total)


def _dollars(text: str) -> str | None:
    """Whose dollars a bare "$" means; None where the text says nothing of them, or too much."""
    if re.search(r"\bUSD\b|\bUS\$", text) or _AMERICAN.search(text):
        return None
    named = {code for code, _ in _DOLLARS if re.search(rf"\b{code}\b", text)}
    codes = named or {code for code, signs in _DOLLARS if signs.search(text)}
    return codes.pop() if len(codes) == 1 else None


def _currency(paper: Paper, total: Figure) -> Iterator[FieldValue]:
    """The currency of the total, else the one that is named most."""
    theirs = _dollars(paper.text) if total.currency == "USD" and "US" not in total.text else None
    if theirs is not None:
        yield FieldValue("currency", total.text, theirs, 0.8, "rule", total.span)
        return
    if total.currency is not None:
        yield FieldValue("currency", total.text, total.currency, 0.9, "rule", total.span)
        return
    named = list(currencies_in(paper.text))
    if named:
        most, count = Counter(each.code for each in named).most_common(1)[0]
        place = next(each for each in named if each.code == most)
        sure = 0.9 if count == len(named) else 0.7
        yield paper.field("currency", place.start, place.end, most, confidence=sure)
