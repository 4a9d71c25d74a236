"""What a person typed, brought into a form that cannot cost more than it is worth."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_QUERY = 500
MOST_TERMS = 32
LONGEST_PHRASE = 12
_TERM = re.compile(r'-?"[^"]*"?|\S+')
_PREFIX = re.compile(r"^(\w{2,})\*$")


@dataclass(frozen=True, slots=True)
class Query:
    """A search as it was meant: words that should be there, beginnings of words, and what must hold."""

    words: tuple[str, ...]
    prefixes: tuple[str, ...]
    required: str  # phrases and excluded words, as websearch_to_tsquery reads them
    excluded: str  # the excluded words of it alone
    marking: str  # any of the words and phrases, in the same language

    @property
    def strict(self) -> bool:
        """Whether something must hold that only words can tell."""
        return bool(self.required or self.prefixes)


def tidy(words: str) -> str:
    """The query with each term once and at most so many; PostgreSQL's marking explodes on repetitions."""
    return " ".join(_terms(words))


def parse(typed: str) -> Query:
    """Plain words are wanted, the more the better; quoted phrases are required, -words are not allowed."""
    terms = _terms(typed)
    groups = _groups(terms)
    required = [" OR ".join(group) for group in groups if any('"' in term for term in group)]
    excluded = [term for term in terms if _is_excluded(term)]
    wanted = [term for group in groups for term in group]
    prefixes = [match[1] for term in wanted if (match := _PREFIX.match(term))]
    phrases = [term for term in wanted if '"' in term]
    plain = [term for term in wanted if '"' not in term and not _PREFIX.match(term)]
    inside = [word for phrase in phrases for word in phrase.replace('"', " ").split()]
    return Query(
        words=tuple(dict.fromkeys(plain + inside))[: 2 * MOST_TERMS],
        prefixes=tuple(dict.fromkeys(prefixes)),
        required=" ".join(required + excluded) if wanted else "",
        excluded=" ".join(excluded) if wanted else "",
        marking=" OR ".join(dict.fromkeys(plain + phrases)),
    )


def _terms(words: str) -> list[str]:
    kept: list[str] = []
    seen: set[str] = set()
    for term in map(_shorter, _TERM.findall(words.replace("\x00", " ")[:LONGEST_QUERY])):
        if term.casefold() == "or":
            kept.append("OR")
        elif term.casefold() not in seen and len(seen) < MOST_TERMS:
            seen.add(term.casefold())
            kept.append(term)
    return kept


def _groups(terms: list[str]) -> list[list[str]]:
    """Terms that are wanted, those joined by OR together."""
    groups: list[list[str]] = []
    joined = False
    for term in terms:
        if term == "OR":
            joined = bool(groups)
        elif not _is_excluded(term):
            if joined:
                groups[-1].append(term)
            else:
                groups.append([term])
            joined = False
    return groups


def _is_excluded(term: str) -> bool:
    return term.startswith("-") and len(term) > 1


def _shorter(term: str) -> str:
    if '"' not in term:
        return term
    sign, _, phrase = term.partition('"')
    return f'{sign}"{" ".join(phrase.strip(chr(34)).split()[:LONGEST_PHRASE])}"'
