"""Amounts of a document, each with the role that its label or its column header indicates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from docyard.facts.fields.layout.labels import classify_label
from docyard.facts.fields.layout.rows import Cell, Row
from docyard.facts.notation.amounts import Amount, find_amounts
from docyard.facts.notation.conventions import UNKNOWN, Conventions
from docyard.facts.notation.currencies import remove_currencies
from docyard.model.facts import Span

_WORD = re.compile(r"[^\W\d_]{2,}|(?:[^\W\d_]\.){2,}")
_TAX_SUMMARY = re.compile(r"summary|tax code|steuerubersicht|breakdown", re.IGNORECASE)
_SUMMARY_ROWS = 5
_HEADER_ROWS = 14  # rows above an amount that are searched for its column header
_HEADER_FACTOR = 0.7  # weight of a column header relative to a label in the row
_NOT_LAST_FACTOR = 0.6  # for a total that is not the last amount of its row
_CLEAR_WEIGHT = 3.0  # from this weight on, amounts without cents count

_BELOW_FACTOR = 1.15  # labels are usually above, so one below counts as farther away
_MAX_PER_ROW = 40  # a row with more amounts is not part of an invoice
_MIN_COLUMNS = 3
_SUMMARY_FACTOR = 0.4

AmountsByRow = Sequence[Sequence[Sequence[Amount]]]  # by row and cell


class Figure(NamedTuple):
    """An amount with its span, its role, the weight of that role, and the index of its row."""

    value: Decimal
    text: str
    span: Span
    role: str
    weight: float
    row: int
    exact: bool
    currency: str | None


def read_figures(rows: Sequence[Row], conventions: Conventions = UNKNOWN) -> list[Figure]:
    """Return the amounts of the rows with their roles; amounts without cents need a clear label."""
    amounts_by_row = [[list(find_amounts(cell.text, conventions)) for cell in row.cells] for row in rows]
    found: list[Figure] = []
    for index, amounts in enumerate(amounts_by_row):
        if 0 < sum(map(len, amounts)) <= _MAX_PER_ROW:
            factor = _SUMMARY_FACTOR if _is_in_summary(rows, amounts_by_row, index) else 1.0
            found.extend(_read_row(rows, amounts_by_row, index, factor))
    return found


def _read_row(rows: Sequence[Row], amounts_by_row: AmountsByRow, index: int, factor: float) -> Iterator[Figure]:
    row = rows[index]
    in_row = [(column, amount) for column, amounts in enumerate(amounts_by_row[index]) for amount in amounts]
    several = len(in_row) > 1
    previous = (-1, 0)
    for count, (column, amount) in enumerate(in_row, start=1):
        cell = row.cells[column]
        prefix = cell.text[previous[1] if previous[0] == column else 0 : amount.start]
        previous = (column, amount.end)
        role, weight = _find_role(
            rows, amounts_by_row, index, cell, _find_label(rows, amounts_by_row, index, column, prefix), several=several
        )
        if several and role == "total" and count < len(in_row):
            weight *= _NOT_LAST_FACTOR
        if amount.exact or weight >= _CLEAR_WEIGHT:
            span, text = cell.span(row.page, amount.start, amount.end), cell.text[amount.start : amount.end]
            yield Figure(amount.value, text, span, role, weight * factor, index, amount.exact, amount.currency)


def _find_label(rows: Sequence[Row], amounts_by_row: AmountsByRow, index: int, column: int, prefix: str) -> str:
    """Return the nearest words to the left of an amount; on an adjacent line if the amount is alone."""
    row = rows[index]
    if _has_word(prefix):
        return prefix
    for cell in reversed(row.cells[:column]):
        if _has_word(cell.text):
            return cell.text
    alone = sum(map(len, amounts_by_row[index])) == 1 and not any(_has_word(cell.text) for cell in row.cells)
    return _find_nearest_label(rows, amounts_by_row, index) if alone else ""


def _find_nearest_label(rows: Sequence[Row], amounts_by_row: AmountsByRow, index: int) -> str:
    """Return the label on the nearer of the two adjacent lines; empty if neither line is a single label."""
    labels = [
        (_measure_distance(rows[index], rows[adjacent]), words[0])
        for adjacent in (index - 1, index + 1)
        if 0 <= adjacent < len(rows) and rows[adjacent].page == rows[index].page and not any(amounts_by_row[adjacent])
        if len(words := [cell.text for cell in rows[adjacent].cells if _has_word(cell.text)]) == 1
    ]
    return min(labels, key=lambda label: label[0], default=(0.0, ""))[1]


def _measure_distance(row: Row, other: Row) -> float:
    distance = abs((row.top + row.bottom) - (other.top + other.bottom)) / 2
    return distance * (_BELOW_FACTOR if other.top > row.top else 1.0)


def _has_word(text: str) -> bool:
    """Return whether a text has a word other than a currency."""
    return bool(_WORD.search(remove_currencies(text)))


def _find_role(
    rows: Sequence[Row], amounts_by_row: AmountsByRow, index: int, cell: Cell, label: str, *, several: bool
) -> tuple[str, float]:
    """Return the role of an amount and its weight, by its label or its column header.

    The header is used if the label is missing. In a row of several amounts, it can replace the label "total".
    """
    role, weight = classify_label(label) if label else ("other", 0.0)
    if label and not (several and role == "total"):
        return role, weight
    header = _find_header(rows, amounts_by_row, index, cell)
    header_role, header_weight = classify_label(header) if header else ("other", 0.0)
    if weight:
        return (header_role, header_weight) if header_role in ("net", "tax") else (role, weight)
    return header_role, header_weight * _HEADER_FACTOR


def _find_header(rows: Sequence[Row], amounts_by_row: AmountsByRow, index: int, cell: Cell) -> str:
    """Return the header of the column of a cell; empty if there is none."""
    for above in range(index - 1, max(index - _HEADER_ROWS, 0) - 1, -1):
        row = rows[above]
        if row.page != rows[index].page:
            return ""
        columns = [
            column
            for column, each in enumerate(row.cells)
            if min(each.right, cell.right) - max(each.left, cell.left) > 0 and _has_word(each.text)
        ]
        if len(row.cells) >= _MIN_COLUMNS and columns and not any(amounts_by_row[above][column] for column in columns):
            return row.cells[columns[-1]].text
    return ""


def _is_in_summary(rows: Sequence[Row], amounts_by_row: AmountsByRow, index: int) -> bool:
    """Return whether a row belongs to a tax summary, as printed below the total on receipts."""
    return any(
        _TAX_SUMMARY.search(rows[above].text) and not any(each.exact for cell in amounts_by_row[above] for each in cell)
        for above in range(max(index - _SUMMARY_ROWS, 0), index)
    )
