"""Short names that a document defines for its parties: 'Silicon Valley Bank ("Bank")'."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docyard.facts.entities.spans import NamedSpan

_DEFINITION = re.compile(
    r"\s*,?(?:\s(?:an?|der|die|das)\s[^()\n]{0,160}?)?\s*\((?:[^()\"“„]{0,60}?)"
    r"[\"“„](?P<term>[A-Z][\w&.'’ -]{1,40})[\"”“](?:[^()]{0,80})\)"
)
_WORD = re.compile(r"\w+")
_MAX_CHARS = 240


def find_defined_terms(text: str, found: Sequence[NamedSpan]) -> Iterator[NamedSpan]:
    """Yield every occurrence of a defined short name that abbreviates the name of its party."""
    seen: set[str] = set()
    for party in found:
        if party.kind not in ("organisation", "person"):
            continue
        match = _DEFINITION.match(text[party.end : party.end + _MAX_CHARS])
        term = match["term"].strip() if match else ""
        if not term or term in seen or not _abbreviates(term, party.normal):
            continue
        seen.add(term)
        for occurrence in re.finditer(rf"(?<!\w){re.escape(term)}(?!\w)", text):
            yield NamedSpan(party.kind, occurrence.start(), occurrence.end(), party.normal, min(party.confidence, 0.85))


def _abbreviates(term: str, name: str) -> bool:
    """Return whether a term consists of words or initials of the name; a role ("Borrower") does not."""
    words = [word.lower() for word in _WORD.findall(name)]
    parts = [word.lower() for word in _WORD.findall(term)]
    initials = "".join(word[0] for word in words)
    return all(part in words for part in parts) or initials.startswith("".join(parts))
