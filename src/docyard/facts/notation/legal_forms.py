"""Legal forms of companies: patterns for text and folded text, and the words for them in keys."""

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


def _make_pattern(spellings: Iterator[str], fold: Callable[[str], str] = str) -> str:
    """Return a pattern for any of these spellings, the longest first; a space may be missing or repeated."""
    words = sorted({fold(spelling) for spelling in spellings}, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\ ", r"\s{0,3}") for word in words)


def _list_spellings(*, ordinary: bool) -> Iterator[str]:
    return chain.from_iterable(each.written for each in _FORMS if ordinary or not each.ordinary)


def _list_abbreviated() -> Iterator[str]:
    return chain.from_iterable(each.written for each in _FORMS if each.abbreviated)


# Spellings at the end of a name in a text; patterns that use them must allow a dot after them.
FORM = _make_pattern(_list_spellings(ordinary=True))
CERTAIN_FORM = _make_pattern(_list_spellings(ordinary=False))
# The same in lower case and without accents.
FOLDED_FORM = _make_pattern(chain(_list_spellings(ordinary=True), ["sb"]), fold_letters)
CERTAIN_FOLDED_FORM = _make_pattern(_list_spellings(ordinary=False), fold_letters)
# Spellings that begin in lower case, and so do not look like part of a name.
LOWER_CASE_FORM = _make_pattern(word for word in _list_spellings(ordinary=True) if word[0].islower())
TAIL_AFTER_FORM = r"&\s?Co\.?\s?(?:KGaA|KG|OHG)"
_ABBREVIATED = re.compile(rf"(?:\.\w{{1,2}}|\.\s\w|\b\w|\b(?:{_make_pattern(_list_abbreviated())}))\.$")
_ORDINARY = frozenset(spelling for each in _FORMS if each.ordinary for spelling in each.written)


def is_ordinary_word(form: str) -> bool:
    """Return whether a form that `FORM` matched is also an ordinary word or abbreviation."""
    return form.rstrip(".") in _ORDINARY


def has_own_dot(form: str) -> bool:
    """Return whether the dot at the end of a form is part of it; after other forms it ends the sentence."""
    return bool(_ABBREVIATED.search(form))


def _list_key_spellings(each: _Form) -> Iterator[str]:
    """Yield the spellings of a form at the end of a key: for "S.p.A", "s p a" and "spa"."""
    for spelling in each.written:
        words = re.sub(r"[().,/]", " ", fold_letters(spelling).replace("&", " and ")).split()
        yield " ".join(words)
        # Letters with dots between them are one word of a key.
        yield re.sub(r"(?<=\b\w) (?=\w\b)", "", " ".join(words))
    yield from each.folded


KEY_WORDS = {spelling: each.key for each in reversed(_FORMS) for spelling in _list_key_spellings(each)}
MAX_FORM_WORDS = max(len(spelling.split()) for spelling in KEY_WORDS)
