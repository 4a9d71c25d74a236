"""Names that a document itself defines: roles ("Tenant" means …) and organisations (a Delaware corporation).

The tagger takes many of them for people, because contracts use them like names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docyard.facts.entities.names import find_companies
from docyard.facts.entities.spans import NamedSpan
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.legal_forms import CERTAIN_FORM, FORM
from docyard.facts.notation.lexicon import load_words, merge_languages

_TERM = r"[A-ZÄÖÜÉÀ][\w&.'’/-]{0,40}(?:\s[\w&.'’/-]{1,40}){0,5}?"
_OPEN, _CLOSE = r"(?:[\"“”„«]\s?|(?<!\w)['‘])", r"(?:\s?[\"“”»]|['’](?!\w))"
_QUOTED = re.compile(rf"{_OPEN}(?P<term>{_TERM}),?{_CLOSE}")
_ANY_QUOTED = rf"{_OPEN}{_TERM},?{_CLOSE}"
_IN_PARENTHESES = re.compile(
    r"\(\s{0,10}(?P<before>(?:[^()\"“”„«‘]{0,120}?\b(?:the|an?|as|called|each|collectively|together|individually|jointly|or|and"
    r"|here(?:in)?after|nachstehend|nachfolgend|[Ff]olgenden|auch|kurz|der|die|das|le|la|l|el|dénommée?s?)[\s:,’']{0,4})?)"
    r"(?P<terms>[\"“”„«'‘][^()]{1,200})\)"
)
_MEANS = re.compile(
    rf"(?P<terms>{_ANY_QUOTED}(?:,?\s(?:or|and)\s(?:the\s)?{_ANY_QUOTED}){{0,3}})[^.\"“”„«()\n]{{0,40}}?\s(?:means?"
    r"|ha(?:s|ve)\s+the\s+meaning|refers?\s+to|includes?|bedeutet|bezeichnet|désigne|significa)\b"
)
_HEREINAFTER = re.compile(
    r"\b(?:here(?:in)?after|nachstehend|nachfolgend|im\s+[Ff]olgenden|fortan|ci-après|en\s+adelante|di\s+seguito|hierna)"
    r"[\s:,–-]{0,5}(?:(?:collectively|individually|jointly|also|simply|auch|kurz|gemeinsam|jeweils|referred|called|known"
    r"|designated|to|as|dénommée?s?|désignée?s?|appelée?s?|el|la|le|der|die|das|den|dem|the|an?|denominat[ao]|te|noemen)"
    r"[\s:,]{1,5}){0,6}[\"“”„«]?\s?(?P<term>[A-ZÄÖÜÉ][\w-]{1,40}(?:\s[A-ZÄÖÜÉ][\w-]{1,40}){0,2})"
)
# A party in a role, as in "Ann Lee, as Stevedore, signs".
_IN_ROLE = re.compile(r",\s+as\s+(?:the\s+)?(?P<term>[A-Z][\w-]{1,30}(?:\s[A-Z][\w-]{1,30}){0,2})(?=\s?[,.;()])")
# Kinds of organisations, as in "Quay Shipping, a Delaware corporation".
_APPOSITION = (
    r"(?:,?\s+(?:duly\s+)?(?:organi[sz]ed|incorporated|formed)\s+(?:and\s+existing\s+)?under\s+the\s+laws\b"
    r"|(?:,|\s+(?:is|was))?\s+(?:an?|eine?)\s+(?:[\w.-]{1,30}\s+){0,6}?"
    r"(?:corporation|compan(?:y|ies)|partnership|limited\s+liability\s+company|bank|association|trust|body\s+corporate"
    r"|foundation|institution|agency|municipality|universit(?:y|ät)|organi[sz]ation|[Gg]esellschaft|[Aa]ktiengesellschaft"
    r"|Genossenschaft|Stiftung|Verein)\b)"
)
_NAME_WORD = r"(?:[A-ZÄÖÜÉ][\w.'’&-]{0,40}|&)"
_NAME = rf"(?<![\w.])(?P<name>{_NAME_WORD}(?:\s{_NAME_WORD}){{0,7}})"
_WITH_APPOSITION = re.compile(rf"{_NAME}(?P<terms>\s\([^()]{{1,120}}\))?{_APPOSITION}")
_CALLED_COMPANY = re.compile(
    rf"{_NAME}\s\([^()\"“”„«‘]{{0,60}}?\b(?:the|die)\s{_OPEN}"
    rf"(?:Company|Corporation|Bank|Fund|Trust|Partnership|Foundation|Association|Gesellschaft){_CLOSE}"
)
_ORGANISATION_BEFORE = re.compile(rf"\b(?:{CERTAIN_FORM})\b|{_APPOSITION}")
_FORM_AT_END = re.compile(rf"(?:,?\s+(?:&\s+)?(?:{FORM})\.?){{1,3}}$")
_NICKNAME = re.compile(r"\s[A-Z][a-z]")
_ENUMERATOR = re.compile(r"^(?:(?:the|THE|The)\s+|\(?[A-Za-z0-9][.)]\s+)+")
_DETERMINER = (
    r"(?:[Ss]uch|[Ee]ach|[Aa]ny|[Ee]very|[Ss]aid|[Nn]o|[Jj]ede[rsmn]?)"  # "the" also precedes names: the Bush years
)
_WORD = re.compile(r"\w+")
_CLAUSE_END = re.compile(r"[);]|:\s|\n\s*\n|(?<=[a-z]{4})\.\s")  # not after abbreviations such as Corp.
_ROLES = frozenset(word.casefold() for word in merge_languages(load_words("roles")["roles"]))
_CERTAIN_COMPANY = 0.9
_BEFORE_CHARS = 200


@dataclass(frozen=True, slots=True)
class Definitions:
    """Keys of the roles and the organisations that a document defines."""

    roles: frozenset[str] = frozenset()
    organisations: frozenset[str] = frozenset()


def read_definitions(text: str) -> Definitions:
    """Return the roles and organisations that the whole text of a document defines."""
    organisations = set(_iterate_company_keys(text))
    roles: set[str] = set()
    for start, term in _iterate_terms(text):
        before = _cut_to_clause(text[max(0, start - _BEFORE_CHARS) : start])
        if not _abbreviates(term, before):
            roles.add(_make_key(term))
        elif _ORGANISATION_BEFORE.search(before):
            organisations.add(_make_key(term))
    return Definitions(frozenset(roles), frozenset(organisations))


def reconcile_people(text: str, found: Sequence[NamedSpan], definitions: Definitions) -> list[NamedSpan]:
    """Return the spans without people that are roles or common nouns; people that are organisations become such."""
    full_names = {
        word
        for each in found
        if each.kind == "person" and len(words := _split(text[each.start : each.end])) > 1
        for word in words
        if not _is_role(" ".join(words), definitions)
    }
    return [kept for each in found if (kept := _reconcile(text, each, definitions, full_names)) is not None]


def _reconcile(text: str, each: NamedSpan, definitions: Definitions, full_names: set[str]) -> NamedSpan | None:
    if each.kind != "person":
        return each
    key = _make_key(text[each.start : each.end])
    if _is_role(key, definitions):
        return None
    if each.source == "rule":  # a title or a signature is stronger evidence than the name of a company
        return each
    if key in definitions.organisations:
        return each._replace(kind="organisation")
    return None if _is_common_noun(text, each, key, full_names) else each


def _is_role(key: str, definitions: Definitions) -> bool:
    if key in definitions.roles or key in _ROLES:
        return True
    singular = key.removesuffix("s")
    first, _, rest = key.partition(" ")
    return (
        singular in definitions.roles
        or singular in _ROLES
        or f"{key}s" in definitions.roles
        or (first in _ROLES and len(rest) <= 2)  # Party A, Seller 1
    )


def _is_common_noun(text: str, each: NamedSpan, key: str, full_names: set[str]) -> bool:
    """Return whether the text uses a single word also in lower case, or with a determiner."""
    word = text[each.start : each.end]
    if " " in key or key in full_names or not (word.isalpha() and word[0].isupper()):
        return False
    return bool(re.search(rf"\b(?:{word.lower()}|{_DETERMINER}\s{word})\b", text))


def _iterate_terms(text: str) -> Iterator[tuple[int, str]]:
    """Yield each defined term and where its definition starts."""
    for match in _IN_PARENTHESES.finditer(text):
        if not match["before"] and _NICKNAME.match(text, match.end()):
            continue
        yield from ((match.start(), quoted["term"]) for quoted in _QUOTED.finditer(match["terms"]))
    for match in _MEANS.finditer(text):
        yield from ((match.start(), quoted["term"]) for quoted in _QUOTED.finditer(match["terms"]))
    for pattern in (_HEREINAFTER, _IN_ROLE):
        yield from ((match.start(), match["term"]) for match in pattern.finditer(text))


def _iterate_company_keys(text: str) -> Iterator[str]:
    for company in find_companies(text, Conventions(None)):
        name = text[company.start : company.end]
        if company.confidence >= _CERTAIN_COMPANY or "&" in name:
            yield _make_key(_FORM_AT_END.sub("", name))
    for match in _WITH_APPOSITION.finditer(text):
        yield _make_key(_FORM_AT_END.sub("", match["name"]))
        yield from (_make_key(quoted["term"]) for quoted in _QUOTED.finditer(match["terms"] or ""))
    for match in _CALLED_COMPANY.finditer(text):
        yield _make_key(_FORM_AT_END.sub("", match["name"]))


def _cut_to_clause(before: str) -> str:
    """Return the end of a text, from the definition, paragraph or list item before it."""
    return _CLAUSE_END.split(before)[-1]


def _abbreviates(term: str, before: str) -> bool:
    """Return whether a term consists of words, or of the initials of words, that precede its definition."""
    words = [word for word in _WORD.findall(before) if word[0].isupper()]
    if set(_split(term)) <= {word.casefold() for word in words}:
        return True
    initials = "".join(word[0] for word in words).casefold()
    return len(term) > 1 and term.isupper() and term.casefold() in initials


def _split(name: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(name)]


def _make_key(name: str) -> str:
    return " ".join(_split(_ENUMERATOR.sub("", name)))
