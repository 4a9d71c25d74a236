"""Fields of a contract: parties, dates, term, governing law and clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docyard.facts.fields.contract.governing_law import find_governing_law
from docyard.facts.fields.contract.parties import find_parties
from docyard.facts.fields.contract.periods import find_contract_dates
from docyard.facts.fields.layout.document_text import DocumentText
from docyard.facts.notation.conventions import Conventions
from docyard.model.facts import FieldValue
from docyard.model.text.pages import Page

_CLAUSE = re.compile(
    r"^[ \t]*(?P<head>(?:(?:ARTICLE|Article|SECTION|Section|§)\s{0,40}[\dIVXLC]+(?:\.\d+)?"
    r"|\d{1,2}\.(?:\d{1,2}\.?)?)[ \t.:–-]+"
    r"(?P<words>[A-Z][A-Za-zÄÖÜäöüß,;&/'’() -]{2,60}?))(?=[.:]?[ \t]*$|\.\s{1,3}[A-Z])",
    re.MULTILINE,
)
_MAX_CLAUSES = 80


def read_contract_fields(pages: Sequence[Page], conventions: Conventions) -> Iterator[FieldValue]:
    """Yield all fields found, each with its span."""
    document = DocumentText(pages)
    yield from find_parties(document)
    yield from find_contract_dates(document, conventions)
    yield from find_governing_law(document)
    yield from _find_clauses(document)


def _find_clauses(document: DocumentText) -> Iterator[FieldValue]:
    """Yield the heading of each clause once, although a table of contents repeats it."""
    seen: set[str] = set()
    for match in _CLAUSE.finditer(document.text):
        key = match["words"].casefold().strip()
        if key not in seen and len(seen) < _MAX_CLAUSES:
            seen.add(key)
            start, end = match.span("head")
            yield document.make_field("clause", start, end, match["words"].strip(), confidence=0.8)
