"""Parser for search queries; it limits their length and number of terms."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_QUERY_LENGTH = 500
MAX_TERMS = 32
MAX_PHRASE_WORDS = 12
_TERM = re.compile(r'-?"[^"]*"?|\S+')
_PREFIX = re.compile(r"^(\w{2,})\*$")


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: optional words, word prefixes, and required and excluded terms."""

    words: tuple[str, ...]
    prefixes: tuple[str, ...]
    required: str  # phrases and excluded words, for websearch_to_tsquery
    excluded: str  # only the excluded words
    highlight: str  # words and phrases joined by OR, for websearch_to_tsquery

    @property
    def has_required_terms(self) -> bool:
        """Whether the query has terms that only lexical search can check."""
        return bool(self.required or self.prefixes)


def deduplicate_terms(words: str) -> str:
    """Return the query with duplicate and excess terms removed; ts_headline is very slow on repetitions."""
    return " ".join(_split_terms(words))


def parse_query(typed: str) -> Query:
    """Parse a query; plain words are optional, quoted phrases are required, and -words are excluded."""
    terms = _split_terms(typed)
    groups = _group_terms(terms)
    required = [" OR ".join(group) for group in groups if any('"' in term for term in group)]
    excluded = [term for term in terms if _is_excluded(term)]
    wanted = [term for group in groups for term in group]
    prefixes = [match[1] for term in wanted if (match := _PREFIX.match(term))]
    phrases = [term for term in wanted if '"' in term]
    plain = [term for term in wanted if '"' not in term and not _PREFIX.match(term)]
    phrase_words = [word for phrase in phrases for word in phrase.replace('"', " ").split()]
    return Query(
        words=tuple(dict.fromkeys(plain + phrase_words))[: 2 * MAX_TERMS],
        prefixes=tuple(dict.fromkeys(prefixes)),
        required=" ".join(required + excluded) if wanted else "",
        excluded=" ".join(excluded) if wanted else "",
        highlight=" OR ".join(dict.fromkeys(plain + phrases)),
    )


def _split_terms(words: str) -> list[str]:
    kept: list[str] = []
    seen: set[str] = set()
    for term in map(_limit_phrase, _TERM.findall(words.replace("\x00", " ")[:MAX_QUERY_LENGTH])):
        if term.casefold() == "or":
            kept.append("OR")
        elif term.casefold() not in seen and len(seen) < MAX_TERMS:
            seen.add(term.casefold())
            kept.append(term)
    return kept


def _group_terms(terms: list[str]) -> list[list[str]]:
    """Group the terms that are not excluded; terms joined by OR form one group."""
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


def _limit_phrase(term: str) -> str:
    if '"' not in term:
        return term
    sign, _, phrase = term.partition('"')
    return f'{sign}"{" ".join(phrase.strip(chr(34)).split()[:MAX_PHRASE_WORDS])}"'
