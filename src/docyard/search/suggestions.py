"""Spelling suggestions: unknown words are replaced by the most frequent known word at edit distance one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docyard.db import Connection, Queries
from docyard.search.query_parser import Query
from docyard.search.query_probes import Form

_SQL = Queries("docyard.search", "search.sql")
_CORRECTABLE = re.compile(r"^[^\W\d_]{4,20}$")
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_MAX_CORRECTIONS = 3


def suggest_query(conn: Connection, typed: str, query: Query, wanted: Sequence[Form]) -> str | None:
    """Return the query with unknown words corrected, or None if nothing can be corrected."""
    unknown = [word for number, word in enumerate(query.words, 1) if _is_unknown(number, word, wanted)]
    corrected = typed
    for word in unknown[:_MAX_CORRECTIONS]:
        known = _closest_word(conn, word.lower())
        if known is not None:
            corrected = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", known, corrected, flags=re.IGNORECASE)
    return corrected if corrected != typed else None


def generate_edits(word: str) -> Iterator[str]:
    """Yield strings one edit away: a letter deleted, inserted, replaced, or swapped with the next.

    Only the letters a to z and those of the word are inserted.
    """
    letters = dict.fromkeys(_ALPHABET + word)
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in letters if letter != after[0])
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        yield from (before + letter + after for letter in letters)


def _is_unknown(number: int, word: str, wanted: Sequence[Form]) -> bool:
    counts = [form.chunks for form in wanted if form.word == number and not form.prefix]
    return bool(counts) and not any(counts) and _CORRECTABLE.match(word) is not None


def _closest_word(conn: Connection, word: str) -> str | None:
    candidates = sorted(set(generate_edits(word)) - {word})
    rows = conn.execute(_SQL["known_words"], {"words": candidates}).fetchall()
    best = max(rows, key=lambda row: (row["chunks"], -row["word"]), default=None)
    return candidates[best["word"] - 1] if best else None
