"""Synthetic names of companies and people, some of them in two spellings.

Word frequencies follow Zipf's law, as in real lists, because the cost of finding names depends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from docyard.facts.resolution.keys import make_entity_key

_FIRST = [
    "james",
    "mary",
    "john",
    "patricia",
    "robert",
    "jennifer",
    "michael",
    "linda",
    "david",
    "elizabeth",
    "william",
    "barbara",
    "richard",
    "susan",
    "joseph",
    "jessica",
    "thomas",
    "karen",
    "charles",
    "sarah",
    "anna",
    "peter",
    "hans",
    "sabine",
    "klaus",
    "monika",
    "juergen",
    "petra",
    "wolfgang",
    "ursula",
    "jean",
    "marie",
    "pierre",
    "nathalie",
    "luigi",
    "giulia",
    "carlos",
    "lucia",
    "ahmed",
    "fatima",
    "wei",
    "yuki",
    "ivan",
    "olga",
    "lars",
    "ingrid",
]
_TRADES = [
    "marine",
    "shipping",
    "logistics",
    "engineering",
    "services",
    "solutions",
    "systems",
    "technologies",
    "consulting",
    "trading",
    "construction",
    "electric",
    "energy",
    "foods",
    "pharma",
    "capital",
    "insurance",
    "media",
    "software",
    "industries",
    "manufacturing",
    "heating",
    "plumbing",
    "design",
    "transport",
    "motors",
    "chemicals",
    "plastics",
    "textiles",
    "bank",
    "partners",
    "properties",
    "security",
    "agency",
    "laboratory",
    "clinic",
]
_PLACES = [
    "north",
    "south",
    "east",
    "west",
    "nordic",
    "global",
    "united",
    "american",
    "german",
    "french",
    "pacific",
    "atlantic",
    "central",
]
_FORMS = ["Inc", "Ltd", "GmbH", "LLC", "S.A.", "AG", "Corp", "B.V."]
_SHORT = {
    "engineering": "eng",
    "technologies": "tech",
    "services": "svcs",
    "manufacturing": "mfg",
    "construction": "constr",
    "industries": "ind",
    "laboratory": "lab",
}
_SYLLABLES = [a + b for a in "bcdfghklmnprstvwz" for b in ("a", "e", "i", "o", "u", "an", "er", "in", "or", "el")]
_ENDINGS = ["", "son", "sen", "mann", "ez", "ski", "ier", "ton", "berg", "ini"]
_VARIANT_SHARE = 0.1  # probability that a name is followed by a variant spelling


@dataclass(frozen=True, slots=True)
class Name:
    """An entity key; for a variant spelling, also the key of the original and the kind of variation."""

    kind: str
    key: str
    original: str = ""
    variation: str = ""


def generate_names(size: int, seed: int = 0) -> Iterator[Name]:
    """Yield this many different names of companies and people; a variant follows its original."""
    generator = Random(f"{size} {seed}")  # noqa: S311 (not for security)
    draw = {"organisation": _make_companies(generator, size), "person": _make_people(generator, size)}
    seen: set[tuple[str, str]] = set()
    while len(seen) < size:
        kind = ("organisation", "person")[len(seen) % 2]
        name = draw[kind]()
        key = make_entity_key(kind, name)
        if not key or (kind, key) in seen:
            continue
        seen.add((kind, key))
        yield Name(kind, key)
        if generator.random() < _VARIANT_SHARE and len(seen) < size:
            vary = generator.choice(_VARIATIONS[kind])
            other = make_entity_key(kind, vary(generator, key))
            if other and (kind, other) not in seen:
                seen.add((kind, other))
                yield Name(kind, other, key, vary.__name__.strip("_"))


def _make_words(generator: Random, count: int) -> Callable[[], str]:
    """Return a function that draws from about `count` words by Zipf's law."""
    words = list(
        dict.fromkeys(
            "".join(generator.choices(_SYLLABLES, k=generator.randint(1, 3))) + generator.choice(_ENDINGS)
            for _ in range(count)
        )
    )
    weights = list(accumulate(1 / (rank + 10) for rank in range(len(words))))
    return lambda: generator.choices(words, cum_weights=weights)[0]


def _make_companies(generator: Random, size: int) -> Callable[[], str]:
    draw_word = _make_words(generator, 2000 + size // 5)

    def draw() -> str:
        parts = [draw_word()] + ([draw_word()] if generator.random() < 0.4 else [])
        parts += [generator.choice(_PLACES)] if generator.random() < 0.3 else []
        parts += generator.sample(_TRADES, generator.choice((1, 1, 1, 2)))
        return " ".join([*parts, generator.choice(_FORMS)])

    return draw


def _make_people(generator: Random, size: int) -> Callable[[], str]:
    draw_last = _make_words(generator, 2000 + size // 5)
    weights = list(accumulate(1 / (rank + 3) for rank in range(len(_FIRST))))

    def draw() -> str:
        first = generator.choices(_FIRST, cum_weights=weights)[0]
        middle = [generator.choice(_FIRST)] if generator.random() < 0.3 else []
        return " ".join([first, *middle, draw_last()])

    return draw


def _misspell(generator: Random, key: str) -> str:
    """Replace, drop, double or swap one character of the longest word."""
    word = max(key.split(), key=len)
    at = generator.randrange(1, max(len(word) - 1, 2))
    character = generator.choice("abcdefghiklmnoprstuvw")
    misspelt = generator.choice(
        (
            word[:at] + character + word[at + 1 :],
            word[:at] + word[at + 1 :],
            word[: at + 1] + word[at:],
            word[: at - 1] + word[at : at + 1] + word[at - 1 : at] + word[at + 1 :],
        )
    )
    return key.replace(word, misspelt, 1)


def _rotate_words(_: Random, key: str) -> str:
    words = key.split()
    return " ".join([*words[1:], words[0]])


def _join_words(_: Random, key: str) -> str:
    return key.replace(" ", "", 1)


def _abbreviate(_: Random, key: str) -> str:
    return " ".join(_SHORT.get(word, word[:4] if word in _TRADES else word) for word in key.split())


def _shorten_first_name(_: Random, key: str) -> str:
    first, *rest = key.split()
    return " ".join([first[0], *rest])


def _drop_middle_name(_: Random, key: str) -> str:
    words = key.split()
    return f"{words[0]} {words[-1]}"


def _make_acronym(_: Random, key: str) -> str:
    words = key.split()
    return "".join(word[0] for word in words) if len(words) > 2 else key


_VARIATIONS: dict[str, list[Callable[[Random, str], str]]] = {
    "organisation": [_misspell, _misspell, _rotate_words, _join_words, _abbreviate, _make_acronym],
    "person": [_misspell, _misspell, _rotate_words, _shorten_first_name, _drop_middle_name],
}
