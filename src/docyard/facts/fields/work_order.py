"""Fields of a work order or fault report: number, equipment, fault, action and others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docyard.facts.fields.layout.labels import fold_label
from docyard.facts.fields.layout.rows import Cell, Row, read_rows
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.dates import find_dates
from docyard.model.facts import FieldValue
from docyard.model.text.pages import Page

_NUMBER_WORD = r"(no|nr|number|nummer|id|#|ref\w*|n|numero|num)"
_LABELS = {
    "number": r"(work ?order|w\.?/?o\.?|job( card)?|ticket|fault( report)?|(service|maintenance)?( ?report)"
    r"|auftrags?|request|bericht|rapport d.intervention|intervention|orden de trabajo|werkbon"
    rf"|ordre de travail)\W{{0,3}}{_NUMBER_WORD}|(auftrags|bericht|werkbon|order)(nummer|nr)",
    "equipment": r"(equipment|asset|machine|unit|tag|component|system|anlage|maschine|equipement|vehicle"
    r"|installation|gerat|appareil|materiel|equipo|maquina|impianto|macchina|apparecchio|toestel|fahrzeug)"
    r"(\W{0,3}(no|id|name|description|tag|number|bezeichnung|concerne))?",
    "fault": r"((reported|customer|observed|main|probable|root)\W{0,3})?"
    r"(fault|problem|defect|failure|symptom|complaint|issue|cause|diagnosis|storung|fehler|mangel|panne"
    r"|defaut|averia|fallo|guasto|anomali[ae]|klacht|storing|defect)"
    r"(\W{0,3}(description|reported|found|code|beschreibung|details?|constate[es]?|signale[es]?|meldung"
    r"|detectada|riscontrato))?",
    "action": r"(corrective action|action|work|repairs?|remedy|resolution|massnahmen?|arbeiten|tatigkeit"
    r"|behebung|intervention|travaux|trabajos?|lavori|werkzaamheden|reparatur)"
    r"(\W{0,3}(taken|performed|done|carried out|required|description|completed|effectue[es]*|realise[es]*"
    r"|realizad[oa]s?|eseguiti|ausgefuhrt|durchgefuhrt|uitgevoerd))?|(durchgefuhrte|ausgefuhrte) arbeiten"
    r"|uitgevoerde werkzaamheden",
    "date": r"(date|datum|fecha|data|reported|raised|opened|created|visit date)"
    r"(\W{0,3}(reported|raised|opened|created|completed|of (work|visit|service)|on|d.intervention))?",
    "location": r"(location|site|plant|building|standort|ort|vessel|area|lieu|emplacement|ubicacion|lugar"
    r"|luogo|locatie|einsatzort)",
    "technician": r"(technician|assigned( to)?|(performed|completed|carried out) by|(service )?engineer"
    r"|mechanic|techniker(in)?|monteur|mechaniker|technicien(ne)?|intervenant|tecnico|bearbeiter(in)?)",
    "priority": r"(priority|prioritat|urgency|priorite|prioridad|priorita|prioriteit|dringlichkeit)",
}
_LABEL_PATTERNS = {name: re.compile(rf"\W*(?:{pattern})\W*") for name, pattern in _LABELS.items()}
_TITLE = re.compile(
    r"\W*(?:(?:maintenance |service )?(?:work ?order|job card|service report|fault report|report)"
    r"|arbeitsauftrag|servicebericht|wartungs(?:auftrag|bericht)|rapport d.intervention|bon d.intervention"
    rf"|ordre de travail|orden de trabajo|werkbon)\W{{0,3}}(?:{_NUMBER_WORD}\W{{0,4}})?"
    r"(?P<number>[a-z]{0,4}-?\d[\w/-]{1,20})\W*$"
)
_MAX_ROWS, _TITLE_ROWS = 200, 8


def read_work_order_fields(pages: Sequence[Page], conventions: Conventions) -> Iterator[FieldValue]:
    """Yield the value of each label, from its cell, the next cell or the row below; each field once."""
    rows = read_rows(pages[:5])[:_MAX_ROWS]
    seen: set[str] = set()
    for index, row in enumerate(rows):
        for column, cell in enumerate(row.cells):
            label, after = _match_label(cell.text)
            if not label or label in seen:
                continue
            value = _find_value(rows, index, column, after)
            if value is not None:
                seen.add(label)
                yield _make_field(label, row.page, *value, conventions)
    titled = _find_titled_number(rows) if "number" not in seen else None
    if titled is not None:
        yield titled


def _find_titled_number(rows: Sequence[Row]) -> FieldValue | None:
    """Return the number right after the document's title: Work order 55120, Rapport d'intervention N° 7."""
    for row in rows[:_TITLE_ROWS]:
        for cell in row.cells:
            match = _TITLE.match(fold_label(cell.text))
            if match and len(fold_label(cell.text)) == len(cell.text):
                span, value = (cell.span(row.page, *match.span("number")), cell.text[slice(*match.span("number"))])
                return FieldValue("number", value, value, 0.7, "rule", span)
    return None


def _match_label(text: str) -> tuple[str, int]:
    """Return the field that a cell names, in full or before a colon, and the offset after the label."""
    colon = text.find(":")
    label = text if colon < 0 else text[:colon]
    folded = fold_label(label)
    for name, pattern in _LABEL_PATTERNS.items():
        if len(label) <= 40 and pattern.fullmatch(folded):
            return name, len(text) if colon < 0 else colon + 1
    return "", 0


def _find_value(rows: Sequence[Row], index: int, column: int, after: int) -> tuple[Cell, int] | None:
    cell = rows[index].cells[column]
    if cell.text[after:].strip():
        return cell, after + len(cell.text[after:]) - len(cell.text[after:].lstrip())
    right = rows[index].cells[column + 1 : column + 2]
    if right and not _match_label(right[0].text)[0]:
        return right[0], 0
    below = rows[index + 1].cells if index + 1 < len(rows) and not right else ()
    return (below[0], 0) if below and not _match_label(below[0].text)[0] else None


def _make_field(name: str, page: int, cell: Cell, start: int, conventions: Conventions) -> FieldValue:
    span, value = cell.span(page, start, len(cell.text)), cell.text[start:]
    dates = find_dates(value, conventions) if name == "date" else []
    normal = dates[0].iso if dates else " ".join(value.split())
    return FieldValue(name, value, normal, 0.8, "rule", span)
