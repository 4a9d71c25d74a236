"""Short names that a document gives to its parties: 'Silicon Valley Bank ("Bank")'."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docyard.engines.entities.found import Found

_DEFINED = re.compile(
    r"\s*,?(?:\s(?:an?|der|die|das)\s[^()\n]{0,160}?)?\s*\((?:[^()\"“„]{0,60}?)"
    r"[\"“„](?P<term>[A-Z][\w&.'’ -]{1,40})[\"”“](?:[^()]{0,80})\)"
)
# What a party is called by its part in the contract: whose name it is differs from document to document.
_ROLES = """
    agent agreement borrower borrowers buyer client company consultant contract contractor customer date
    discloser distributor effective employee employer executive grantor guarantor landlord lender lenders
    lessee lessor licensee licensor manager owner parties party provider purchaser recipient seller sellers
    service supplier tenant trustee vendor
"""
ROLES = frozenset(_ROLES.split())
_FURTHEST = 220


def defined_terms(text: str, found: Sequence[Found]) -> Iterator[Found]:
    """Every place that uses a short name which the text gives to an organisation or a person."""
    seen: set[str] = set()
    for party in found:
        if party.kind not in ("organisation", "person"):
            continue
        match = _DEFINED.match(text[party.end : party.end + _FURTHEST])
        term = match["term"].strip() if match else ""
        if not term or term in seen or _is_role(term):
            continue
        seen.add(term)
        for place in re.finditer(rf"(?<!\w){re.escape(term)}(?!\w)", text):
            yield Found(party.kind, place.start(), place.end(), party.normal, min(party.confidence, 0.85))


def _is_role(term: str) -> bool:
    return all(word.lower() in ROLES for word in term.split())
