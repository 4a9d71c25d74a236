"""The fields of a work order or fault report: what, what is wrong with it, what was done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docyard.engines.fields.dates import dates_in
from docyard.engines.fields.labels import fold
from docyard.engines.fields.rows import Cell, Row, rows_of
from docyard.model.facts import FieldValue
from docyard.model.pages import Page

_LABELS = {
    "number": r"(work ?order|w\.?o\.?|job|ticket|fault|auftrags?|request)\W{0,3}(no|nr|number|nummer|id|#"
    r"|ref\w*)",
    "equipment": r"(equipment|asset|machine|unit|tag|component|system|anlage|maschine|equipement|vehicle"
    r"|installation)"
    r"(\W{0,3}(no|id|name|description|tag|number|bezeichnung))?",
    "fault": r"(fault|problem|defect|failure|symptom|complaint|issue|cause|storung|fehler|mangel|panne)"
    r"(\W{0,3}(description|reported|found|code|beschreibung|details?))?",
    "action": r"(action|work|repair|corrective action|remedy|resolution|massnahme|arbeiten|tatigkeit"
    r"|intervention)"
    r"(\W{0,3}(taken|performed|done|carried out|required|description|completed))?",
    "date": r"(date|datum|reported|raised|opened|created)(\W{0,3}(reported|raised|opened|completed|of work"
    r"|on))?",
    "location": r"(location|site|plant|building|standort|ort|vessel|area)",
    "technician": r"(technician|assigned( to)?|performed by|completed by|engineer|mechanic|techniker)",
    "priority": r"(priority|prioritat|urgency)",
}
_COMPILED = {name: re.compile(rf"\W*{pattern}\W*") for name, pattern in _LABELS.items()}
_MOST_ROWS = 200


def work_order_fields(pages: Sequence[Page]) -> Iterator[FieldValue]:
    """What stands after a label in its cell, in the next cell, or in the row below; each once."""
    rows = rows_of(pages[:5])[:_MOST_ROWS]
    seen: set[str] = set()
    for number, row in enumerate(rows):
        for place, cell in enumerate(row.cells):
            label, after = _label(cell.text)
            if not label or label in seen:
                continue
            value = _value(rows, number, place, after)
            if value is not None:
                seen.add(label)
                yield _field(label, row.page, *value)


def _label(text: str) -> tuple[str, int]:
    """The field that a cell names before its colon, or as a whole."""
    colon = text.find(":")
    head = text if colon < 0 else text[:colon]
    folded = fold(head)
    for name, pattern in _COMPILED.items():
        if len(head) <= 40 and pattern.fullmatch(folded):
            return name, len(text) if colon < 0 else colon + 1
    return "", 0


def _value(rows: Sequence[Row], number: int, place: int, after: int) -> tuple[Cell, int] | None:
    cell = rows[number].cells[place]
    if cell.text[after:].strip():
        return cell, after + len(cell.text[after:]) - len(cell.text[after:].lstrip())
    beside = rows[number].cells[place + 1 : place + 2]
    if beside and not _label(beside[0].text)[0]:
        return beside[0], 0
    below = rows[number + 1].cells if number + 1 < len(rows) and not beside else ()
    return (below[0], 0) if below and not _label(below[0].text)[0] else None


def _field(name: str, page: int, cell: Cell, start: int) -> FieldValue:
    span, shown = cell.span(page, start, len(cell.text)), cell.text[start:]
    dates = dates_in(shown) if name == "date" else []
    normal = dates[0].iso if dates else " ".join(shown.split())
    return FieldValue(name, shown, normal, 0.8, "rule", span)
