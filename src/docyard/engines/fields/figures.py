"""The amounts of a document with the words that stand before or above them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from docyard.engines.fields.amounts import Amount, amounts_in
from docyard.engines.fields.labels import role_of
from docyard.engines.fields.rows import Cell, Row
from docyard.model.facts import Span

_LETTERS = re.compile(r"[^\W\d_]{2,}")
_CURRENCY_ONLY = re.compile(
    r"\W*(rm|myr|usd|eur|euro|gbp|chf|inr|rs|sgd|aud|cad|pln|[$€£₹])?\W*", re.IGNORECASE
)
_SUMMARY = re.compile(r"summary|tax code|steuerubersicht|breakdown", re.IGNORECASE)
_SUMMARY_ROWS = 5
_HEAD_ROWS = 14  # how far up the head of a column is looked for
_ABOVE = 0.7  # how much the head of a column says, beside a label in the row
_NOT_LAST = 0.6  # the total stands at the end of its row
_SAID_CLEARLY = 3.0  # a label by which even an amount without cents is one


class Figure(NamedTuple):
    """An amount, its place, what it seems to be, how strongly, and in which row it stands."""

    value: Decimal
    text: str
    span: Span
    role: str
    weight: float
    row: int
    exact: bool
    currency: str | None


def figures_of(rows: Sequence[Row]) -> list[Figure]:
    """All amounts of the rows."""
    found: list[Figure] = []
    for number, row in enumerate(rows):
        fading = 0.4 if _in_summary(rows, number) else 1.0
        found.extend(_figures(rows, number, row, fading))
    return found


def _figures(rows: Sequence[Row], number: int, row: Row, fading: float) -> Iterator[Figure]:
    placed = [(place, cell, amount) for place, cell in enumerate(row.cells) for amount in _money(cell)]
    several = len(placed) > 1
    for count, (place, cell, amount) in enumerate(placed, start=1):
        before = max(
            (each.end for _, of, each in placed if of is cell and each.end <= amount.start), default=0
        )
        label = _label(rows, number, place, cell.text[before : amount.start])
        role, weight = _role(rows, number, cell, label, several=several)
        if several and role == "total" and count < len(placed):
            weight *= _NOT_LAST
        if not amount.exact and weight < _SAID_CLEARLY:
            continue
        span = cell.span(row.page, amount.start, amount.end)
        shown = cell.text[amount.start : amount.end]
        yield Figure(amount.value, shown, span, role, weight * fading, number, amount.exact, amount.currency)


def _money(cell: Cell) -> list[Amount]:
    return list(amounts_in(cell.text))


def _label(rows: Sequence[Row], number: int, place: int, before: str) -> str:
    """The nearest words to the left of an amount; a line of amounts alone belongs to the label line above."""
    row = rows[number]
    if _says(before):
        return before
    for cell in reversed(row.cells[:place]):
        if _says(cell.text):
            return cell.text
    alone = not any(_says(cell.text) for cell in row.cells)
    above = rows[number - 1] if alone and number and rows[number - 1].page == row.page else None
    if above is not None and not any(True for cell in above.cells for _ in amounts_in(cell.text)):
        words = [cell.text for cell in above.cells if _says(cell.text)]
        return words[0] if len(words) == 1 else ""
    return ""


def _says(text: str) -> bool:
    return bool(_LETTERS.search(text)) and not _CURRENCY_ONLY.fullmatch(text)


def _role(rows: Sequence[Row], number: int, cell: Cell, label: str, *, several: bool) -> tuple[str, float]:
    """By the label beside it; where that says only which row it is, or nothing, by the head of its column."""
    role, weight = role_of(label) if label else ("other", 0.0)
    if label and not (several and role == "total"):
        return role, weight
    head = _head(rows, number, cell)
    above, strength = role_of(head) if head else ("other", 0.0)
    if weight:
        return (above, strength) if above in ("net", "tax") else (role, weight)
    return above, strength * _ABOVE


def _head(rows: Sequence[Row], number: int, cell: Cell) -> str:
    """The words at the head of the column in which a cell stands."""
    for row in reversed(rows[max(number - _HEAD_ROWS, 0) : number]):
        if row.page != rows[number].page:
            return ""
        over = [
            each
            for each in row.cells
            if min(each.right, cell.right) - max(each.left, cell.left) > 0 and _says(each.text)
        ]
        if len(row.cells) >= 3 and over and not any(True for each in over for _ in amounts_in(each.text)):
            return over[-1].text
    return ""


def _in_summary(rows: Sequence[Row], number: int) -> bool:
    """Whether a row belongs to the table of taxes that tills print below the total."""
    return any(
        _SUMMARY.search(row.text) and len(row.cells) >= 1 and _is_table_head(row)
        for row in rows[max(number - _SUMMARY_ROWS, 0) : number]
    )


def _is_table_head(row: Row) -> bool:
    return not any(amount.exact for cell in row.cells for amount in amounts_in(cell.text))
