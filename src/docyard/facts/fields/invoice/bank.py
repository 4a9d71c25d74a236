"""Bank accounts by their IBAN, as mentions have them, each once."""

from __future__ import annotations

from collections.abc import Iterator

from docyard.facts.entities.account_numbers import ibans
from docyard.facts.fields.layout.document_text import Paper
from docyard.facts.notation.conventions import UNKNOWN
from docyard.model.facts import FieldValue


def ibans_of(paper: Paper) -> Iterator[FieldValue]:
    """The accounts that a text names."""
    first = {found.normal: found for found in reversed(list(ibans(paper.text, UNKNOWN)))}
    for found in sorted(first.values(), key=lambda each: each.start):
        yield paper.field("iban", found.start, found.end, found.normal, confidence=found.confidence)
