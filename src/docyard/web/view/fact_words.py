"""Types, fields, kinds of things, relations and how sure we are, as people say them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from docyard.model.facts import FieldValue

_SPACE = "\N{NO-BREAK SPACE}"
_NAMES = {
    "bcc": "Bcc",
    "cc": "Cc",
    "email": "E-mail",
    "iban": "IBAN",
    "not_sure": "Not sure",
    "resume": "CV",
    "vat_number": "VAT number",
}
# In the order in which they are shown: who, where, by which number, when and how much.
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
    "email": "E-mail addresses",
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
    "rule": "by a rule",
    "model": "by the model of names",
    "llm": "by a language model",
    "xml": "from the data inside the file",
    "person": "given by a person",
}
_STATES = {"unconfirmed": "Not checked", "confirmed": "Confirmed", "rejected": "Rejected"}


def named(name: str | None) -> str:
    """A type, a field or a kind of thing by its name."""
    return _NAMES.get(name or "") or (name or "").replace("_", " ").capitalize()


def between(kinds: Iterable[str]) -> str:
    """Which types speak for themselves where none is clear."""
    names = [named(kind).lower() if kind not in _NAMES else named(kind) for kind in kinds if kind]
    if len(names) < 2:
        return f"perhaps {names[0]}" if names else ""
    return f"between {', '.join(names[:-1])} and {names[-1]}"


def group(kind: str) -> str:
    """Things of one kind."""
    return KIND_GROUPS.get(kind) or named(kind)


def relation(kind: str) -> str:
    """What stands between the two ends of a relation."""
    return _RELATIONS.get(kind) or kind.replace("_", " ")


def source(name: str) -> str:
    """Who says so."""
    return _SOURCES.get(name, name)


def state(name: str) -> str:
    """What a person said of it."""
    return _STATES.get(name, name)


def sure(confidence: float | None) -> str:
    """How sure we are, in a word and in percent; percent never claim more than was meant."""
    share = confidence or 0.0
    words = ((0.95, "very sure"), (0.8, "sure"), (0.5, "fairly sure"), (0.0, "not sure"))
    word = next(word for least, word in words if share >= least)
    return f"{word}, {int(share * 100 + 1e-6)}{_SPACE}%"


def day(moment: date | None) -> str:
    """A day without a zone, so nothing for a script to change."""
    return f"{moment.day}{_SPACE}{moment:%b %Y}" if moment else "–"


def normal(field: FieldValue) -> str:
    """The normal form of a field where it says more than the field as it stands."""
    said, meant = (_bare(text) for text in (field.value, field.normal))
    return "" if meant in said else field.normal


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
