"""Names of companies and people that nobody bears, some of them written in two ways.

Common words are common and rare ones rare, as in real lists, because what finding them costs depends on that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from docyard.facts.resolution.keys import entity_key

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
_SYLLABLES = [
    a + b for a in "bcdfghklmnprstvwz" for b in ("a", "e", "i", "o", "u", "an", "er", "in", "or", "el")
]
_ENDINGS = ["", "son", "sen", "mann", "ez", "ski", "ier", "ton", "berg", "ini"]
PLANTED = 0.1  # of the names are written in a second way


@dataclass(frozen=True, slots=True)
class Name:
    """An entity's key, and where it is a second way of writing one, that one's key and how it differs."""

    kind: str
    key: str
    of: str = ""
    how: str = ""


def made_up(size: int, seed: int = 0) -> Iterator[Name]:
    """So many names, each once, half of them people; a second way of writing one follows it."""
    chance = Random(f"{size} {seed}")  # noqa: S311 (no secret)
    draw = {"organisation": _companies(chance, size), "person": _people(chance, size)}
    seen: set[tuple[str, str]] = set()
    while len(seen) < size:
        kind = ("organisation", "person")[len(seen) % 2]
        name = draw[kind]()
        key = entity_key(kind, name)
        if not key or (kind, key) in seen:
            continue
        seen.add((kind, key))
        yield Name(kind, key)
        if chance.random() < PLANTED and len(seen) < size:
            how = chance.choice(_WAYS[kind])
            other = entity_key(kind, how(chance, key))
            if other and (kind, other) not in seen:
                seen.add((kind, other))
                yield Name(kind, other, key, how.__name__.strip("_"))


def _invented(chance: Random, many: int) -> Callable[[], str]:
    """Words of which the first are drawn far more often than the last (Zipf)."""
    words = list(
        dict.fromkeys(
            "".join(chance.choices(_SYLLABLES, k=chance.randint(1, 3))) + chance.choice(_ENDINGS)
            for _ in range(many)
        )
    )
    weights = list(accumulate(1 / (rank + 10) for rank in range(len(words))))
    return lambda: chance.choices(words, cum_weights=weights)[0]


def _companies(chance: Random, size: int) -> Callable[[], str]:
    word = _invented(chance, 2000 + size // 5)

    def one() -> str:
        parts = [word()] + ([word()] if chance.random() < 0.4 else [])
        parts += [chance.choice(_PLACES)] if chance.random() < 0.3 else []
        parts += chance.sample(_TRADES, chance.choice((1, 1, 1, 2)))
        return " ".join([*parts, chance.choice(_FORMS)])

    return one


def _people(chance: Random, size: int) -> Callable[[], str]:
    last = _invented(chance, 2000 + size // 5)
    weights = list(accumulate(1 / (rank + 3) for rank in range(len(_FIRST))))

    def one() -> str:
        first = chance.choices(_FIRST, cum_weights=weights)[0]
        middle = [chance.choice(_FIRST)] if chance.random() < 0.3 else []
        return " ".join([first, *middle, last()])

    return one


def _slip(chance: Random, key: str) -> str:
    """One letter is another, missing, doubled or in its neighbour's place, in the longest word."""
    word = max(key.split(), key=len)
    at = chance.randrange(1, max(len(word) - 1, 2))
    letter = chance.choice("abcdefghiklmnoprstuvw")
    slipped = chance.choice(
        (
            word[:at] + letter + word[at + 1 :],
            word[:at] + word[at + 1 :],
            word[: at + 1] + word[at:],
            word[: at - 1] + word[at : at + 1] + word[at - 1 : at] + word[at + 1 :],
        )
    )
    return key.replace(word, slipped, 1)


def _turned(_: Random, key: str) -> str:
    words = key.split()
    return " ".join([*words[1:], words[0]])


def _joined(_: Random, key: str) -> str:
    return key.replace(" ", "", 1)


def _shortened(_: Random, key: str) -> str:
    return " ".join(_SHORT.get(word, word[:4] if word in _TRADES else word) for word in key.split())


def _initialled(_: Random, key: str) -> str:
    first, *rest = key.split()
    return " ".join([first[0], *rest])


def _without_middle(_: Random, key: str) -> str:
    words = key.split()
    return f"{words[0]} {words[-1]}"


def _initials(_: Random, key: str) -> str:
    words = key.split()
    return "".join(word[0] for word in words) if len(words) > 2 else key


_WAYS: dict[str, list[Callable[[Random, str], str]]] = {
    "organisation": [_slip, _slip, _turned, _joined, _shortened, _initials],
    "person": [_slip, _slip, _turned, _initialled, _without_middle],
}
