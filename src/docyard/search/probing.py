"""Where to look for the best passages: rare words reach few, common ones where they stand together or often.

Reading every passage with a word that stands in a third of a million would take seconds, and such a word
hardly tells one passage from another.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from uuid import UUID

DEPTH = 2000  # passages that the probe for rare words may reach
_COMMON_DEPTH = 1000  # and each of those for common ones, which cost more to find
_ENOUGH = 300  # fewer candidates than that could miss a good one
_COMMON = 3  # common words that are looked at in pairs


@dataclass(frozen=True, slots=True)
class Form:
    """A word of a search in one language; in how many passages it stands at all, three and nine times."""

    word: int
    config: str
    lexeme: str
    prefix: bool
    chunks: int
    chunks_3: int
    chunks_9: int
    telling: bool = True  # unlike the little words of a language, such as 'on' and 'the'


@dataclass(frozen=True, slots=True)
class Probe:
    """A query over the words of one workspace, and how many passages to take from it at most."""

    query: str
    depth: int


def weight(chunks: int, total: int) -> float:
    """How much a word tells that stands in so many of all passages."""
    total = max(total, chunks, 1)
    return math.log(1 + (total - chunks + 0.5) / (chunks + 0.5))


def quoted(lexeme: str, *, prefix: bool = False) -> str:
    """A word as tsquery reads it, whatever is in it."""
    safe = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{safe}'{':*' if prefix else ''}"


def probes(workspace: UUID, forms: Iterable[Form], total: int) -> list[Probe]:
    """What to ask the index, so that the best passages are among few; `total` is how many there are."""
    given = list(forms)
    told = {form.word for form in given if form.telling}
    forms = [form for form in given if form.word in told or not told]
    words = sorted(_words(workspace, forms), key=lambda word: word.reach[0])
    found = [Probe(_all_of(words), _COMMON_DEPTH)] if len(words) > 1 else []
    rare: list[_Word] = []
    for word in words:
        if sum(each.reach[0] for each in rare) + word.reach[0] <= DEPTH:
            rare.append(word)
    if rare:
        found.append(Probe(" | ".join(word.at("1") for word in rare), DEPTH))
    common = [word for word in words if word not in rare]
    reached = sum(word.reach[0] for word in rare) + (_expected(words, total) if found else 0)
    return found if not common or reached >= _ENOUGH else found + _for_common(common, of=len(words))


def _for_common(common: Sequence[_Word], of: int) -> list[Probe]:
    """Where two of the rarest common words stand together, or the rarest of them often."""
    pairs = combinations(common[:_COMMON], 2) if of > 2 else ()
    alone = Probe(common[0].at(common[0].tier()), _COMMON_DEPTH)
    return [*(Probe(_all_of(pair), _COMMON_DEPTH // 2) for pair in pairs), alone]


def _expected(words: Sequence[_Word], total: int) -> float:
    """About how many passages have all the words, if they had nothing to do with each other."""
    return total * math.prod(min(1.0, word.reach[0] / max(total, 1)) for word in words)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word with its forms, and how many passages each tier of it reaches."""

    scope: str
    forms: tuple[Form, ...]
    reach: tuple[int, int, int]

    def at(self, tier: str) -> str:
        """Any form of it, where it stands at least as often as the tier says."""
        keys = dict.fromkeys(
            quoted(f"{self.scope}{tier}{form.lexeme[:255]}", prefix=form.prefix) for form in self.forms
        )
        return f"({' | '.join(keys)})"

    def tier(self) -> str:
        """The highest tier that still reaches enough passages."""
        for tier, reach in (("9", self.reach[2]), ("3", self.reach[1])):
            if reach >= _ENOUGH:
                return tier
        return "1"


def _words(workspace: UUID, forms: Iterable[Form]) -> list[_Word]:
    by_word: dict[int, list[Form]] = {}
    for form in forms:
        by_word.setdefault(form.word, []).append(form)
    return [_word(str(workspace)[:8], _telling(found)) for found in by_word.values()]


def _telling(forms: Sequence[Form]) -> list[Form]:
    """Of a compound such as 'non-disclosure' the rarest part in each language, unless nobody has any."""
    kept = []
    for config in dict.fromkeys(form.config for form in forms):
        parts = [form for form in forms if form.config == config]
        known = [part for part in parts if part.chunks > 0]
        kept += [min(known, key=lambda part: part.chunks)] if known else parts
    return kept


def _word(scope: str, forms: Sequence[Form]) -> _Word:
    distinct = {form.lexeme: form for form in forms}.values()
    reach = (
        sum(form.chunks for form in distinct),
        sum(form.chunks_3 for form in distinct),
        sum(form.chunks_9 for form in distinct),
    )
    return _Word(scope, tuple(forms), reach)


def _all_of(words: Iterable[_Word]) -> str:
    return " & ".join(word.at("1") for word in words)
