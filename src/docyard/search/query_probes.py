"""Query probes: index queries that reach a bounded number of candidate passages for BM25.

Rare words are looked up individually, common words only in passages that have several of them, or one of
them often. Reading all passages with a word that occurs in 300,000 of a million takes seconds, and such a
word hardly affects the ranking.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from uuid import UUID

MAX_PROBE_DEPTH = 2000  # maximum number of passages of the probe for rare words
_COMMON_DEPTH = 1000  # maximum for each of the other probes, which cost more
_MIN_CANDIDATES = 300  # with fewer, a good passage could be missed
_MAX_PAIRED = 3  # common words that are looked up in pairs


@dataclass(frozen=True, slots=True)
class Form:
    """A lexeme of a query word in one language, and how many passages have it at least 1, 3 and 9 times."""

    word: int
    config: str
    lexeme: str
    prefix: bool
    chunks: int
    chunks_3: int
    chunks_9: int
    telling: bool = True  # not a stop word such as 'on' or 'the'


@dataclass(frozen=True, slots=True)
class Probe:
    """An index query within one workspace, and the maximum number of passages to read from it."""

    query: str
    depth: int


def inverse_frequency(chunks: int, total: int) -> float:
    """Return the BM25 weight (IDF) of a word that occurs in `chunks` of `total` passages."""
    total = max(total, chunks, 1)
    return math.log(1 + (total - chunks + 0.5) / (chunks + 0.5))


def quote_lexeme(lexeme: str, *, prefix: bool = False) -> str:
    """Return a lexeme quoted for tsquery."""
    safe = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{safe}'{':*' if prefix else ''}"


def plan_probes(workspace: UUID, forms: Iterable[Form], total: int) -> list[Probe]:
    """Return probes that reach the best passages for these forms, in a workspace of `total` passages."""
    all_forms = list(forms)
    content_words = {form.word for form in all_forms if form.telling}
    forms = [form for form in all_forms if form.word in content_words or not content_words]
    words = sorted(_group_by_word(workspace, forms), key=lambda word: word.reach[0])
    found = [Probe(_require_all(words), _COMMON_DEPTH)] if len(words) > 1 else []
    rare: list[_Word] = []
    for word in words:
        if sum(each.reach[0] for each in rare) + word.reach[0] <= MAX_PROBE_DEPTH:
            rare.append(word)
    if rare:
        found.append(Probe(" | ".join(word.at("1") for word in rare), MAX_PROBE_DEPTH))
    common = [word for word in words if word not in rare]
    reached = sum(word.reach[0] for word in rare) + (_estimate_matches(words, total) if found else 0)
    return found if not common or reached >= _MIN_CANDIDATES else found + _probe_common(common, len(words))


def _probe_common(common: Sequence[_Word], word_count: int) -> list[Probe]:
    """Return probes for pairs of the rarest common words, and for frequent occurrences of the rarest one."""
    pairs = combinations(common[:_MAX_PAIRED], 2) if word_count > 2 else ()
    frequent = Probe(common[0].at(common[0].tier()), _COMMON_DEPTH)
    return [*(Probe(_require_all(pair), _COMMON_DEPTH // 2) for pair in pairs), frequent]


def _estimate_matches(words: Sequence[_Word], total: int) -> float:
    """Estimate how many passages have all the words, assuming independence."""
    return total * math.prod(min(1.0, word.reach[0] / max(total, 1)) for word in words)


@dataclass(frozen=True, slots=True)
class _Word:
    """A query word with its forms, and the number of passages that have it at least 1, 3 and 9 times."""

    scope: str
    forms: tuple[Form, ...]
    reach: tuple[int, int, int]

    def at(self, tier: str) -> str:
        """Return a tsquery for passages with any form of the word at least `tier` times."""
        keys = dict.fromkeys(
            quote_lexeme(f"{self.scope}{tier}{form.lexeme[:255]}", prefix=form.prefix) for form in self.forms
        )
        return f"({' | '.join(keys)})"

    def tier(self) -> str:
        """Return the highest tier (9, 3 or 1 occurrences) that still reaches enough passages."""
        for tier, reach in (("9", self.reach[2]), ("3", self.reach[1])):
            if reach >= _MIN_CANDIDATES:
                return tier
        return "1"


def _group_by_word(workspace: UUID, forms: Iterable[Form]) -> list[_Word]:
    by_word: dict[int, list[Form]] = {}
    for form in forms:
        by_word.setdefault(form.word, []).append(form)
    return [_make_word(str(workspace)[:8], _rarest_parts(found)) for found in by_word.values()]


def _rarest_parts(forms: Sequence[Form]) -> list[Form]:
    """Return the rarest known part of a compound word per language, or all its parts if none is known."""
    kept = []
    for config in dict.fromkeys(form.config for form in forms):
        parts = [form for form in forms if form.config == config]
        known = [part for part in parts if part.chunks > 0]
        kept += [min(known, key=lambda part: part.chunks)] if known else parts
    return kept


def _make_word(scope: str, forms: Sequence[Form]) -> _Word:
    distinct = {form.lexeme: form for form in forms}.values()
    reach = (
        sum(form.chunks for form in distinct),
        sum(form.chunks_3 for form in distinct),
        sum(form.chunks_9 for form in distinct),
    )
    return _Word(scope, tuple(forms), reach)


def _require_all(words: Iterable[_Word]) -> str:
    return " & ".join(word.at("1") for word in words)
