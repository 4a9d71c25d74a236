"""What a person typed, brought into a form that cannot cost more than it is worth."""

from __future__ import annotations

import re

LONGEST_QUERY = 500
MOST_TERMS = 16
LONGEST_PHRASE = 12
_TERM = re.compile(r'-?"[^"]*"?|\S+')


def tidy(words: str) -> str:
    """The query with each term once and at most so many; PostgreSQL's marking explodes on repetitions."""
    kept: list[str] = []
    seen: set[str] = set()
    for term in map(_shorter, _TERM.findall(words.replace("\x00", " ")[:LONGEST_QUERY])):
        if term.casefold() == "or":
            kept.append("OR")
        elif term.casefold() not in seen and len(seen) < MOST_TERMS:
            seen.add(term.casefold())
            kept.append(term)
    return " ".join(kept)


def _shorter(term: str) -> str:
    if '"' not in term:
        return term
    sign, _, phrase = term.partition('"')
    return f'{sign}"{" ".join(phrase.strip(chr(34)).split()[:LONGEST_PHRASE])}"'
