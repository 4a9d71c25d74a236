"""Bank accounts by IBAN, each once, found by the rule for mentions."""

from __future__ import annotations

from collections.abc import Iterator

from docyard.facts.entities.account_numbers import find_ibans
from docyard.facts.fields.layout.document_text import Paper
from docyard.facts.notation.conventions import UNKNOWN
from docyard.model.facts import FieldValue


def ibans_of(paper: Paper) -> Iterator[FieldValue]:
    """Yield each IBAN of a text at its first occurrence."""
    first = {mention.normal: mention for mention in reversed(list(find_ibans(paper.text, UNKNOWN)))}
    for mention in sorted(first.values(), key=lambda each: each.start):
        yield paper.field("iban", mention.start, mention.end, mention.normal, confidence=mention.confidence)
