"""Labels for types, fields, kinds of entities, relations and confidence."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from docyard.model.facts import FieldValue

_SPACE = "\N{NO-BREAK SPACE}"
_NAMES = {
    "bcc": "Bcc",
    "cc": "Cc",
    "email": "Email",
    "iban": "IBAN",
    "not_sure": "Uncertain",
    "resume": "CV",
    "vat_number": "VAT number",
}
# In display order.
KIND_GROUPS = {
    "organisation": "Organisations",
    "person": "People",
    "place": "Places",
    "court": "Courts",
    "case_number": "Case numbers",
    "citation": "Citations",
    "statute": "Statutes",
    "equipment": "Equipment",
    "part": "Parts",
    "fault": "Faults",
    "action": "Actions",
    "invoice_number": "Invoice numbers",
    "iban": "IBANs",
    "vat_number": "VAT numbers",
    "email": "Email addresses",
    "phone": "Phone numbers",
    "money": "Amounts",
    "date": "Dates",
}
_RELATIONS = {
    "issued": "issued",
    "billed_in": "is billed in",
    "party_to": "is a party to",
    "court_of": "is the court of",
    "judge_of": "is a judge of",
    "docket_of": "is the case number of",
    "worked_on": "worked on",
    "cited_in": "is cited in",
    "sent_to": "wrote to",
    "has_fault": "has the fault",
    "mentioned_with": "is mentioned with",
}
_SOURCES = {
    "rule": "found by a rule",
    "model": "found by the entity model",
    "llm": "found by a language model",
    "xml": "from invoice data in the file",
    "person": "entered by a user",
}
_STATES = {"unconfirmed": "Not checked", "confirmed": "Confirmed", "rejected": "Rejected"}


def label(name: str | None) -> str:
    """Return the label of a type, a field or a kind of entity."""
    return _NAMES.get(name or "") or (name or "").replace("_", " ").capitalize()


def candidate_types(kinds: Iterable[str]) -> str:
    """Return the candidate types of an uncertain document, such as 'possibly contract or letter'."""
    names = [label(kind).lower() if kind not in _NAMES else label(kind) for kind in kinds if kind]
    if len(names) < 2:
        return f"possibly {names[0]}" if names else ""
    return f"possibly {', '.join(names[:-1])} or {names[-1]}"


def plural_label(kind: str) -> str:
    """Return the plural label of a kind."""
    return KIND_GROUPS.get(kind) or label(kind)


def relation_label(kind: str) -> str:
    """Return the verb phrase that describes a relation."""
    return _RELATIONS.get(kind) or kind.replace("_", " ")


def source_label(name: str) -> str:
    """Return the label of a source."""
    return _SOURCES.get(name, name)


def state_label(name: str) -> str:
    """Return the label of a verdict state."""
    return _STATES.get(name, name)


def confidence_label(confidence: float | None) -> str:
    """Return a confidence as a level and a percentage, rounded down."""
    share = confidence or 0.0
    levels = ((0.95, "very high"), (0.8, "high"), (0.5, "medium"), (0.0, "low"))
    level = next(level for least, level in levels if share >= least)
    return f"{level} confidence, {int(share * 100 + 1e-6)}{_SPACE}%"


def format_date(moment: date | None) -> str:
    """Return a date, such as 5 Mar 2026; unlike times, it does not depend on the time zone."""
    return f"{moment.day}{_SPACE}{moment:%b %Y}" if moment else "–"


def shown_normal_form(field: FieldValue) -> str:
    """Return the normal form of a field; empty if the value already contains it."""
    value, normal_form = (_alphanumeric(text) for text in (field.value, field.normal))
    return "" if normal_form in value else field.normal


def _alphanumeric(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
