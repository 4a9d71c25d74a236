"""IBANs as fields of an invoice."""

from __future__ import annotations

from collections.abc import Iterator

from docyard.facts.entities.account_numbers import find_ibans
from docyard.facts.fields.layout.document_text import DocumentText
from docyard.facts.notation.conventions import UNKNOWN
from docyard.model.facts import FieldValue


def read_ibans(document: DocumentText) -> Iterator[FieldValue]:
    """Yield each IBAN of a text at its first occurrence."""
    first = {mention.normal: mention for mention in reversed(list(find_ibans(document.text, UNKNOWN)))}
    for mention in sorted(first.values(), key=lambda each: each.start):
        yield document.make_field("iban", mention.start, mention.end, mention.normal, confidence=mention.confidence)
