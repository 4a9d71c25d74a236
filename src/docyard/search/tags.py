"""Finding tags: those used most, those that mean what was typed, or those that are called so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from docyard.db import Connection, Queries
from docyard.search.facts import plain_words
from docyard.search.meaning import EXACT_UP_TO, FARTHEST, Meaning, why_off
from docyard.store import embeddings

_SQL = Queries("docyard.search", "tags.sql")
_SPARE = 3  # times as many are looked at as are wanted, for some may be tags of no document any more
_MOST_WORDS = 20
_COUNTED = 1_000_000


@dataclass(frozen=True, slots=True)
class FoundTag:
    """A tag, how many documents have it, and how near its meaning is to what was asked for."""

    name: str
    documents: int
    closeness: float | None = None


@dataclass(frozen=True, slots=True)
class TagResult:
    """Tags, best first, what they were found by (use, meaning, name), and why not by meaning."""

    tags: tuple[FoundTag, ...]
    by: str
    note: str | None = None


def find_tags(
    conn: Connection, typed: str = "", *, meaning: Meaning | None = None, most: int = 20
) -> TagResult:
    """Tags of the workspace near what was typed, or the most used; by name where there is no meaning."""
    words = plain_words(typed).replace("\x00", " ")
    if not words.strip():
        return TagResult(_rows(conn, "most_used", {"most": most}), "use")
    called = _named(conn, words, most)
    note = why_off(conn, meaning)
    if note is not None or meaning is None:
        return TagResult(called, "name", note)
    near = _near(conn, meaning, most, FARTHEST, _COUNTED)
    known = {each.name for each in near}
    # A tag that was given a moment ago may have no vector yet.
    others = tuple(each for each in called if each.name not in known)
    return TagResult((near + others)[:most], "meaning")


def tags_near(
    conn: Connection, meaning: Meaning | None, *, most: int = 8, closest: float = 0.4
) -> tuple[FoundTag, ...]:
    """Tags that a search may be narrowed by, nearest first; their documents are not counted."""
    if meaning is None or why_off(conn, meaning) is not None:
        return ()
    return _near(conn, meaning, most, 1 - closest, 1)


def _near(conn: Connection, meaning: Meaning, most: int, farthest: float, up_to: int) -> tuple[FoundTag, ...]:
    given = {
        "model": embeddings.find_model(conn, meaning.fingerprint),
        "vector": meaning.vector,
        "exact_up_to": EXACT_UP_TO,
        "farthest": farthest,
        "up_to": up_to,
        "most": most,
        "looked_at": most * _SPARE,
    }
    return _rows(conn, "nearest", given)


def _named(conn: Connection, words: str, most: int) -> tuple[FoundTag, ...]:
    given = {
        "words": words.split()[:_MOST_WORDS],
        "typed": words,
        "most": most,
        "looked_at": most * _SPARE,
        "up_to": _COUNTED,
    }
    return _rows(conn, "named", given)


def _rows(conn: Connection, query: str, given: Mapping[str, object]) -> tuple[FoundTag, ...]:
    return tuple(FoundTag(**row) for row in conn.execute(_SQL[query], given))
