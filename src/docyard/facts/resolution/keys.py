"""Keys of entities, made from kind and normal form; all spellings of a name have the same key."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from docyard.facts.notation.legal_forms import KEY_WORDS, MAX_FORM_WORDS
from docyard.facts.notation.person_names import DEGREE_WORDS, TITLE_WORDS
from docyard.facts.vocabulary import ENTITY_KINDS

MAX_KEY_CHARS = 300

_UNDECOMPOSED = str.maketrans(
    {"ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ı": "i", "&": " and "}
)
_APOSTROPHES = re.compile(r"['’‘`´]")
_DOTTED_LETTERS = re.compile(
    r"\b(?:[^\W\d_]\.\s?)+(?=[^\W\d_]\b)|(?<=\b[^\W\d_])\."
)  # the dots of "I.B.M." and "J. Smith"
_NOT_A_WORD = re.compile(r"[\W_]+")
_NAME_SUFFIX = re.compile(r"(?i)^(jr|sr|i{1,3}|iv|v)\.?$")


def make_entity_key(kind: str, normal: str) -> str:
    """Return the key shared by all spellings of a name; empty for dates and amounts or if no word is left."""
    if kind not in ENTITY_KINDS:
        return ""
    make: Callable[[str], str] = {
        "person": _make_person_key,
        "organisation": _make_organisation_key,
        "place": _make_plain_key,
        "court": _make_plain_key,
        "equipment": _make_plain_key,
        "part": _make_plain_key,
        "fault": _make_plain_key,
        "action": _make_plain_key,
        "citation": _make_reference_key,
        "statute": _make_reference_key,
    }.get(kind, _make_number_key)
    return make(normal)[:MAX_KEY_CHARS].strip()


def find_legal_form(normal: str) -> str:
    """Return the key of the legal form at the end of a name, the same for all spellings; empty if none."""
    words = _split_organisation(normal)
    count = _count_form_words(words)
    return KEY_WORDS[" ".join(words[-count:])] if 0 < count < len(words) else ""


def fold_name(name: str) -> str:
    """Return a name as folded words without punctuation, for comparison with keys."""
    return " ".join(_split_words(name))


def _fold(text: str) -> str:
    """Return a text without case, accents and compatibility forms."""
    decomposed = unicodedata.normalize("NFKD", text.casefold().translate(_UNDECOMPOSED))
    # Folded characters may need folding again; otherwise the key of a key could differ from the key.
    return unicodedata.normalize("NFKC", "".join(c for c in decomposed if not unicodedata.combining(c))).casefold()


def _split_words(text: str) -> list[str]:
    """Return the folded words of a name; letters with dots between them are one word."""
    joined = _DOTTED_LETTERS.sub(lambda dotted: re.sub(r"[.\s]", "", dotted[0]), _APOSTROPHES.sub("", _fold(text)))
    return _NOT_A_WORD.sub(" ", joined).split()


def _make_person_key(normal: str) -> str:
    last, comma, first = normal.partition(",")
    if comma and _NOT_A_WORD.sub("", _fold(first)) in DEGREE_WORDS:
        normal = last
    elif comma and first.strip() and "," not in first and not _NAME_SUFFIX.match(first.strip()):
        normal = f"{first} {last}"
    words = _NOT_A_WORD.sub(" ", _APOSTROPHES.sub("", _fold(normal))).split()
    while len(words) > 1 and words[0] in TITLE_WORDS:
        words = words[1:]
    while len(words) > 1 and words[-1] in DEGREE_WORDS:
        words = words[:-1]
    return " ".join(words)


def _split_organisation(normal: str) -> list[str]:
    words = _split_words(normal)
    return words[1:] if len(words) > 1 and words[0] == "the" else words


def _make_organisation_key(normal: str) -> str:
    words = _split_organisation(normal)
    while (count := _count_form_words(words)) and count < len(words):
        words = words[:-count]
    return " ".join(words)


def _count_form_words(words: list[str]) -> int:
    """Return the number of words in the longest legal form at the end of a name."""
    longest = min(MAX_FORM_WORDS, len(words))
    return next((n for n in range(longest, 0, -1) if " ".join(words[-n:]) in KEY_WORDS), 0)


def _make_plain_key(normal: str) -> str:
    return " ".join(_split_organisation(normal))


def _make_reference_key(normal: str) -> str:
    return " ".join(_fold(normal).replace(".", "").split())


def _make_number_key(normal: str) -> str:
    return "".join(_fold(normal).split())
