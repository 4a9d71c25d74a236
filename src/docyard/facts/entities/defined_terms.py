"""Short names that a document gives to its parties: 'Silicon Valley Bank ("Bank")'."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docyard.facts.entities.spans import Found

_DEFINED = re.compile(
    r"\s*,?(?:\s(?:an?|der|die|das)\s[^()\n]{0,160}?)?\s*\((?:[^()\"“„]{0,60}?)"
    r"[\"“„](?P<term>[A-Z][\w&.'’ -]{1,40})[\"”“](?:[^()]{0,80})\)"
)
_WORD = re.compile(r"\w+")
_FURTHEST = 240


def defined_terms(text: str, found: Sequence[Found]) -> Iterator[Found]:
    """Every place that uses a short name which the text gives to an organisation or a person."""
    seen: set[str] = set()
    for party in found:
        if party.kind not in ("organisation", "person"):
            continue
        match = _DEFINED.match(text[party.end : party.end + _FURTHEST])
        term = match["term"].strip() if match else ""
        if not term or term in seen or not _short_for(term, party.normal):
            continue
        seen.add(term)
        for place in re.finditer(rf"(?<!\w){re.escape(term)}(?!\w)", text):
            yield Found(party.kind, place.start(), place.end(), party.normal, min(party.confidence, 0.85))


def _short_for(term: str, name: str) -> bool:
    """Whether it is made of the name; what is not is a role ("Borrower"), or was said of something else."""
    words = [word.lower() for word in _WORD.findall(name)]
    parts = [word.lower() for word in _WORD.findall(term)]
    initials = "".join(word[0] for word in words)
    return all(part in words for part in parts) or initials.startswith("".join(parts))
