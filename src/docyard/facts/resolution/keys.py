"""The key of an entity: a function of kind and normal form, the same for every way of writing a name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from docyard.facts.notation.legal_forms import KEY_WORDS, LONGEST_IN_WORDS
from docyard.facts.notation.person_names import DEGREE_WORDS, TITLE_WORDS
from docyard.facts.vocabulary import THINGS

LONGEST_KEY = 300

_SPECIAL = str.maketrans(
    {"ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ı": "i", "&": " and "}
)
_APOSTROPHES = re.compile(r"['’‘`´]")
_SPELT = re.compile(
    r"\b(?:[^\W\d_]\.\s?)+(?=[^\W\d_]\b)|(?<=\b[^\W\d_])\."
)  # the dots of "I.B.M." and "J. Smith"
_NO_WORD = re.compile(r"[\W_]+")
_SUFFIX = re.compile(r"(?i)^(jr|sr|i{1,3}|iv|v)\.?$")


def entity_key(kind: str, normal: str) -> str:
    """What names the same thing has the same key; "" where nothing is left to tell things apart."""
    if kind not in THINGS:
        return ""
    make: Callable[[str], str] = {
        "person": _person_key,
        "organisation": _organisation_key,
        "place": _plain_key,
        "court": _plain_key,
        "equipment": _plain_key,
        "part": _plain_key,
        "fault": _plain_key,
        "action": _plain_key,
        "citation": _reference_key,
        "statute": _reference_key,
    }.get(kind, _number_key)
    return make(normal)[:LONGEST_KEY].strip()


def legal_form(normal: str) -> str:
    """The legal form in which an organisation's name ends, one word for all ways of writing it; or ""."""
    words = _organisation_words(normal)
    cut = _legal_form(words)
    return KEY_WORDS[" ".join(words[-cut:])] if 0 < cut < len(words) else ""


def bare(name: str) -> str:
    """A key without the marks that only some ways of writing have, to be typed by a person."""
    return " ".join(_words(name))


def _fold(text: str) -> str:
    """Case, accents and compatibility forms do not matter."""
    apart = unicodedata.normalize("NFKD", text.casefold().translate(_SPECIAL))
    # Folding may make letters that fold again, so that a key of a key would differ.
    return unicodedata.normalize("NFKC", "".join(c for c in apart if not unicodedata.combining(c))).casefold()


def _words(text: str) -> list[str]:
    """The words of a name; letters with dots between them are one word."""
    joined = _SPELT.sub(lambda dotted: re.sub(r"[.\s]", "", dotted[0]), _APOSTROPHES.sub("", _fold(text)))
    return _NO_WORD.sub(" ", joined).split()


def _person_key(normal: str) -> str:
    last, comma, first = normal.partition(",")
    if comma and _NO_WORD.sub("", _fold(first)) in DEGREE_WORDS:
        normal = last
    elif comma and first.strip() and "," not in first and not _SUFFIX.match(first.strip()):
        normal = f"{first} {last}"
    words = _NO_WORD.sub(" ", _APOSTROPHES.sub("", _fold(normal))).split()
    while len(words) > 1 and words[0] in TITLE_WORDS:
        words = words[1:]
    while len(words) > 1 and words[-1] in DEGREE_WORDS:
        words = words[:-1]
    return " ".join(words)


def _organisation_words(normal: str) -> list[str]:
    words = _words(normal)
    return words[1:] if len(words) > 1 and words[0] == "the" else words


def _organisation_key(normal: str) -> str:
    words = _organisation_words(normal)
    while (cut := _legal_form(words)) and cut < len(words):
        words = words[:-cut]
    return " ".join(words)


def _legal_form(words: list[str]) -> int:
    """How many words at the end are a legal form; the longest form counts."""
    longest = min(LONGEST_IN_WORDS, len(words))
    return next((n for n in range(longest, 0, -1) if " ".join(words[-n:]) in KEY_WORDS), 0)


def _plain_key(normal: str) -> str:
    return " ".join(_organisation_words(normal))


def _reference_key(normal: str) -> str:
    return " ".join(_fold(normal).replace(".", "").split())


def _number_key(normal: str) -> str:
    return "".join(_fold(normal).split())
