"""A few words that say what a text is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from docyard.facts.describe.stop_words import STOP_WORDS

_LOOKED_AT = 20_000
_MOST = 6
_OFTEN = 3  # a word that is said less often is not what a text is about
_WORD = re.compile(r"[^\W\d_][\w’'-]{3,24}")
_EMPTY = frozenset(
    [
        "agreement",
        "parties",
        "party",
        "section",
        "date",
        "dated",
        "name",
        "number",
        "total",
        "amount",
        "table",
        "figure",
        "document",
        "documents",
        "information",
        "section",
        "following",
        "provided",
        "include",
        "includes",
        "including",
        "thing",
        "things",
        "way",
        "also",
        "based",
        "three",
        "four",
        "five",
        "well",
        "without",
        "http",
        "https",
        "www",
        "html",
        "com",
        "org",
        "case",
        "said",
        "hereof",
        "part",
        "parts",
        "time",
        "years",
        "year",
        "month",
        "months",
        "days",
        "day",
        "right",
        "left",
        "able",
        "above",
        "rechnung",
        "invoice",
        "subject",
        "from",
        "sent",
        "email",
        "mail",
        "cash",
        "change",
        "item",
        "items",
        "thank",
        "price",
        "quantity",
        "description",
        "page",
        "attachments",
    ]
)


def key_words(text: str, title: str | None) -> tuple[str, ...]:
    """The most frequent words of a text; those of its title count more."""
    words = [match[0].casefold().strip("'’-") for match in _WORD.finditer(text[:_LOOKED_AT])]
    counts = Counter(word for word in words if _says_something(word))
    for word in {each.casefold() for each in _WORD.findall(title or "")}:
        if word in counts:
            counts[word] += _OFTEN
    often = [word for word, count in counts.most_common(4 * _MOST) if count >= _OFTEN]
    return tuple(_without_plurals(often)[:_MOST])


def _says_something(word: str) -> bool:
    return word not in STOP_WORDS and word not in _EMPTY and "'" not in word and "’" not in word


def _without_plurals(words: Sequence[str]) -> list[str]:
    kept: list[str] = []
    for word in words:
        if not any(word in (each + "s", each + "es", each[:-1], each[:-2]) for each in kept):
            kept.append(word)
    return kept
