"""'Did you mean': a word nobody has used here, and the most used one that is a single slip away from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docyard.db import Connection, Queries
from docyard.search.probing import Form
from docyard.search.wording import Query

_SQL = Queries("docyard.search", "search.sql")
_ORDINARY = re.compile(r"^[^\W\d_]{4,20}$")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_MOST_SLIPS = 3


def suggestion(conn: Connection, typed: str, query: Query, wanted: Sequence[Form]) -> str | None:
    """The search with its unknown words replaced, None when all are known or nothing comes near."""
    unknown = [word for place, word in enumerate(query.words, 1) if _is_unknown(place, word, wanted)]
    repaired = typed
    for word in unknown[:_MOST_SLIPS]:
        better = _nearest(conn, word.lower())
        if better is not None:
            repaired = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", better, repaired, flags=re.IGNORECASE)
    return repaired if repaired != typed else None


def slips(word: str) -> Iterator[str]:
    """Every word one letter dropped, added, changed or swapped away."""
    letters = dict.fromkeys(_LETTERS + word)
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in letters if letter != after[0])
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        yield from (before + letter + after for letter in letters)


def _is_unknown(place: int, word: str, wanted: Sequence[Form]) -> bool:
    counts = [form.chunks for form in wanted if form.word == place and not form.prefix]
    return bool(counts) and not any(counts) and _ORDINARY.match(word) is not None


def _nearest(conn: Connection, word: str) -> str | None:
    candidates = sorted(set(slips(word)) - {word})
    rows = conn.execute(_SQL["known_words"], {"words": candidates}).fetchall()
    best = max(rows, key=lambda row: (row["chunks"], -row["word"]), default=None)
    return candidates[best["word"] - 1] if best else None
