"""The fields of an invoice or receipt, from what its pages show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from docyard.engines.fields.amounts import currencies_in
from docyard.engines.fields.bank import ibans_of
from docyard.engines.fields.buyer import addressed_buyer, buyer_of
from docyard.engines.fields.dates import day_first_in
from docyard.engines.fields.figures import Figure, figures_of
from docyard.engines.fields.issued import issued_and_due, number_of
from docyard.engines.fields.paper import Paper
from docyard.engines.fields.rows import Row, rows_of
from docyard.engines.fields.seller import seller_of
from docyard.engines.fields.totals import totals_of
from docyard.model.facts import FieldValue
from docyard.model.pages import Page

_MOST_PAGES = 8  # the last pages of a long one are terms and lists
_LONGEST_ROW, _MOST_ROWS = 500, 1_000  # letters; rows
_AMERICAN = re.compile(
    r"\b[A-Z]{2} \d{5}(?:-\d{4})?\b|\bUSA\b|\bU\.S\.|\bEIN\b|\bState of [A-Z]|,? Inc\.|\bLLC\b"
    r"|\b(?:Delaware|California|Nevada|Texas|Florida|New York|Illinois|Massachusetts|New Jersey"
    r"|Pennsylvania|Ohio)\b"
)


def invoice_fields(pages: Sequence[Page], language: str | None, *, receipt: bool) -> Iterator[FieldValue]:
    """All fields that are found, each with its place."""
    looked_at = pages[:_MOST_PAGES]
    paper, rows = Paper(looked_at), _rows(looked_at)
    yield from _parties(rows, receipt=receipt)
    number = number_of(rows)
    if number is not None:
        yield number
    yield from issued_and_due(rows, day_first=writes_day_first(paper.text, language))
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


def _currency(paper: Paper, total: Figure) -> Iterator[FieldValue]:
    """The currency of the total, else the one that is named most."""
    if total.currency is not None:
        yield FieldValue("currency", total.text, total.currency, 0.9, "rule", total.span)
        return
    named = list(currencies_in(paper.text))
    if named:
        most, count = Counter(each.code for each in named).most_common(1)[0]
        place = next(each for each in named if each.code == most)
        sure = 0.9 if count == len(named) else 0.7
        yield paper.field("currency", place.start, place.end, most, confidence=sure)
