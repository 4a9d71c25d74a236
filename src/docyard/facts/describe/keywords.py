"""Keywords that show what a text is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from docyard.facts.describe.stop_words import STOP_WORDS

_MAX_CHARS = 20_000
_MAX_KEYWORDS = 6
_MIN_COUNT = 3  # rarer words do not show what a text is about
_WORD = re.compile(r"[^\W\d_][\w’'-]{3,24}")
_GENERIC_WORDS = frozenset(
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


def extract_keywords(text: str, title: str | None) -> tuple[str, ...]:
    """Return up to six frequent words, but no stop words or generic words; words of the title count more."""
    words = [match[0].casefold().strip("'’-") for match in _WORD.finditer(text[:_MAX_CHARS])]
    counts = Counter(word for word in words if _is_informative(word))
    for word in {each.casefold() for each in _WORD.findall(title or "")}:
        if word in counts:
            counts[word] += _MIN_COUNT
    frequent = [word for word, count in counts.most_common(4 * _MAX_KEYWORDS) if count >= _MIN_COUNT]
    return tuple(_drop_plurals(frequent)[:_MAX_KEYWORDS])


def _is_informative(word: str) -> bool:
    return word not in STOP_WORDS and word not in _GENERIC_WORDS and "'" not in word and "’" not in word


def _drop_plurals(words: Sequence[str]) -> list[str]:
    kept: list[str] = []
    for word in words:
        if not any(word in (each + "s", each + "es", each[:-1], each[:-2]) for each in kept):
            kept.append(word)
    return kept
