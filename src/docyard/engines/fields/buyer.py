"""To whom an invoice is made out: the name after or below words such as 'bill to'."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docyard.engines.fields.labels import fold
from docyard.engines.fields.rows import Cell, Row
from docyard.model.facts import FieldValue

_LABEL = re.compile(
    r"\W*(?:bill(?:ed)? to|billing address|bill to address|invoice to|invoiced to|sold to|customer(?: name)?"
    r"|client|rechnungsempfanger|kaufer|rechnung an|kunde|adresse de facturation|factuur aan|cliente"
    r"|spett\.le|attn|to)\W{0,3}"
)
_NO_NAME = re.compile(
    r"\b(?:gln|ship|deliver\w*|liefer\w*|address|adresse|phone|tel|fax|date|datum|no|nr|number|nummer|id|order|vat"
    r"|ust|invoice|rechnung\w*|herrn?|frau)\b|\d{3,}|@"
)
_MOST_ROWS, _BELOW = 60, 4


def buyer_of(rows: Sequence[Row]) -> FieldValue | None:
    """The first name after such a label, in its cell or below it in the same column."""
    for number, row in enumerate(rows[:_MOST_ROWS]):
        for cell in row.cells:
            folded = fold(cell.text)
            label = _LABEL.match(folded)
            if label is None or len(folded) != len(cell.text) or not _ends(cell.text, label.end()):
                continue
            if _is_name(cell.text[label.end() :]):
                return _field(row, cell, label.end())
            alone = not cell.text[label.end() :].strip()
            below = _below(rows[number + 1 : number + 1 + _BELOW], cell) if alone else None
            if below is not None:
                return _field(*below, 0)
    return None


def _ends(text: str, at: int) -> bool:
    """Whether the label stands alone or before a colon; else it is a word of a sentence."""
    return at >= len(text.rstrip()) or ":" in text[:at]


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
        and letters > 0.6 * len(text.strip())
        and not _NO_NAME.search(fold(text))
    )


def _field(row: Row, cell: Cell, start: int) -> FieldValue:
    start += len(cell.text[start:]) - len(cell.text[start:].lstrip())
    shown = cell.text[start:].rstrip(" ,")
    span = cell.span(row.page, start, start + len(shown))
    return FieldValue("buyer", shown, " ".join(shown.split()), 0.75, "rule", span)
