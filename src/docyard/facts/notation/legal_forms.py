"""Legal forms of companies: at the end of a name in a text, in a folded label, and in a key."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from docyard.facts.notation.letters import fold_letters
from docyard.facts.notation.lexicon import load_words


@dataclass(frozen=True, slots=True)
class _Form:
    key: str
    written: list[str] = field(default_factory=list)
    folded: list[str] = field(default_factory=list)
    ordinary: bool = False
    abbreviated: bool = False


_FORMS = [_Form(**row) for row in load_words("legal_forms")["form"]]


def _pattern(spellings: Iterator[str], fold: Callable[[str], str] = str) -> str:
    """Return a pattern for any of these spellings, the longest first; a space may be missing or repeated."""
    words = sorted({fold(spelling) for spelling in spellings}, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\ ", r"\s{0,3}") for word in words)


def _written(*, ordinary: bool) -> Iterator[str]:
    return chain.from_iterable(each.written for each in _FORMS if ordinary or not each.ordinary)


def _abbreviated() -> Iterator[str]:
    return chain.from_iterable(each.written for each in _FORMS if each.abbreviated)


# As they end a name in a text, without the last dot, which the user of a pattern allows.
FORM = _pattern(_written(ordinary=True))
CERTAIN_FORM = _pattern(_written(ordinary=False))
# The same in lower case and without accents.
FOLDED_FORM = _pattern(chain(_written(ordinary=True), ["sb"]), fold_letters)
CERTAIN_FOLDED_FORM = _pattern(_written(ordinary=False), fold_letters)
# Those that no word with a capital begins, and so do not look like part of a name.
LOWER_CASE_FORM = _pattern(word for word in _written(ordinary=True) if word[0].islower())
TAIL_AFTER_FORM = r"&\s?Co\.?\s?(?:KGaA|KG|OHG)"
_ABBREVIATED = re.compile(rf"(?:\.\w{{1,2}}|\.\s\w|\b\w|\b(?:{_pattern(_abbreviated())}))\.$")
_ORDINARY = frozenset(spelling for each in _FORMS if each.ordinary for spelling in each.written)


def is_ordinary_word(form: str) -> bool:
    """Return whether a form that `FORM` matched is also an ordinary word or abbreviation."""
    return form.rstrip(".") in _ORDINARY


def has_own_dot(form: str) -> bool:
    """Return whether the dot at the end of a form is part of it; after other forms it ends the sentence."""
    return bool(_ABBREVIATED.search(form))


def _key_spellings(each: _Form) -> Iterator[str]:
    """Yield a form as the last words of a key: "S.p.A" as "spa" and as "s p a"."""
    for spelling in each.written:
        words = re.sub(r"[().,/]", " ", fold_letters(spelling).replace("&", " and ")).split()
        yield " ".join(words)
        # Letters with dots between them are one word of a key.
        yield re.sub(r"(?<=\b\w) (?=\w\b)", "", " ".join(words))
    yield from each.folded


KEY_WORDS = {spelling: each.key for each in reversed(_FORMS) for spelling in _key_spellings(each)}
LONGEST_IN_WORDS = max(len(spelling.split()) for spelling in KEY_WORDS)
