"""The amounts of a document with the words that stand before or above them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from docyard.facts.fields.layout.labels import role_of
from docyard.facts.fields.layout.rows import Cell, Row
from docyard.facts.notation.amounts import Amount, find_amounts
from docyard.facts.notation.conventions import UNKNOWN, Conventions
from docyard.facts.notation.currencies import remove_currencies
from docyard.model.facts import Span

_LETTERS = re.compile(r"[^\W\d_]{2,}|(?:[^\W\d_]\.){2,}")
_SUMMARY = re.compile(r"summary|tax code|steuerubersicht|breakdown", re.IGNORECASE)
_SUMMARY_ROWS = 5
_HEAD_ROWS = 14  # how far up the head of a column is looked for
_ABOVE = 0.7  # how much the head of a column says, beside a label in the row
_NOT_LAST = 0.6  # the total stands at the end of its row
_SAID_CLEARLY = 3.0  # a label by which even an amount without cents is one

_BELOW = 1.15  # how much farther a label below seems; people write it above
_MOST_IN_ROW = 40  # a row with more figures is no bill's
_FEWEST_COLUMNS = 3
_FADED = 0.4

Money = Sequence[Sequence[Sequence[Amount]]]  # of each row, of each cell


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


def figures_of(rows: Sequence[Row], conventions: Conventions = UNKNOWN) -> list[Figure]:
    """All amounts of the rows."""
    money = [[list(find_amounts(cell.text, conventions)) for cell in row.cells] for row in rows]
    found: list[Figure] = []
    for number, amounts in enumerate(money):
        if 0 < sum(map(len, amounts)) <= _MOST_IN_ROW:
            fading = _FADED if _in_summary(rows, money, number) else 1.0
            found.extend(_figures(rows, money, number, fading))
    return found


def _figures(rows: Sequence[Row], money: Money, number: int, fading: float) -> Iterator[Figure]:
    row = rows[number]
    placed = [(place, amount) for place, amounts in enumerate(money[number]) for amount in amounts]
    several = len(placed) > 1
    before = (-1, 0)
    for count, (place, amount) in enumerate(placed, start=1):
        cell = row.cells[place]
        words = cell.text[before[1] if before[0] == place else 0 : amount.start]
        before = (place, amount.end)
        role, weight = _role(
            rows, money, number, cell, _label(rows, money, number, place, words), several=several
        )
        if several and role == "total" and count < len(placed):
            weight *= _NOT_LAST
        if amount.exact or weight >= _SAID_CLEARLY:
            span, shown = cell.span(row.page, amount.start, amount.end), cell.text[amount.start : amount.end]
            yield Figure(
                amount.value, shown, span, role, weight * fading, number, amount.exact, amount.currency
            )


def _label(rows: Sequence[Row], money: Money, number: int, place: int, before: str) -> str:
    """The nearest words to the left of an amount; one alone on its line belongs to the label line above."""
    row = rows[number]
    if _says(before):
        return before
    for cell in reversed(row.cells[:place]):
        if _says(cell.text):
            return cell.text
    alone = sum(map(len, money[number])) == 1 and not any(_says(cell.text) for cell in row.cells)
    return _nearest_label(rows, money, number) if alone else ""


def _nearest_label(rows: Sequence[Row], money: Money, number: int) -> str:
    """Of the lines above and below an amount that stands alone, the nearer one that is a label and nothing"
    " else."""
    labels = [
        (_distance(rows[number], rows[at]), words[0])
        for at in (number - 1, number + 1)
        if 0 <= at < len(rows) and rows[at].page == rows[number].page and not any(money[at])
        if len(words := [cell.text for cell in rows[at].cells if _says(cell.text)]) == 1
    ]
    return min(labels, key=lambda label: label[0], default=(0.0, ""))[1]


def _distance(row: Row, other: Row) -> float:
    apart = abs((row.top + row.bottom) - (other.top + other.bottom)) / 2
    return apart * (_BELOW if other.top > row.top else 1.0)


def _says(text: str) -> bool:
    """Whether there is a word in it that is no currency."""
    return bool(_LETTERS.search(remove_currencies(text)))


def _role(
    rows: Sequence[Row], money: Money, number: int, cell: Cell, label: str, *, several: bool
) -> tuple[str, float]:
    """By the label beside it; where that says only which row it is, or nothing, by the head of its column."""
    role, weight = role_of(label) if label else ("other", 0.0)
    if label and not (several and role == "total"):
        return role, weight
    head = _head(rows, money, number, cell)
    above, strength = role_of(head) if head else ("other", 0.0)
    if weight:
        return (above, strength) if above in ("net", "tax") else (role, weight)
    return above, strength * _ABOVE


def _head(rows: Sequence[Row], money: Money, number: int, cell: Cell) -> str:
    """The words at the head of the column in which a cell stands."""
    for at in range(number - 1, max(number - _HEAD_ROWS, 0) - 1, -1):
        row = rows[at]
        if row.page != rows[number].page:
            return ""
        over = [
            place
            for place, each in enumerate(row.cells)
            if min(each.right, cell.right) - max(each.left, cell.left) > 0 and _says(each.text)
        ]
        if len(row.cells) >= _FEWEST_COLUMNS and over and not any(money[at][place] for place in over):
            return row.cells[over[-1]].text
    return ""


def _in_summary(rows: Sequence[Row], money: Money, number: int) -> bool:
    """Whether a row belongs to the table of taxes that tills print below the total."""
    return any(
        _SUMMARY.search(rows[at].text) and not any(each.exact for cell in money[at] for each in cell)
        for at in range(max(number - _SUMMARY_ROWS, 0), number)
    )
