"""Tag search: the most used tags, and tags found by semantic similarity or by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from docyard.db import Connection, Queries
from docyard.search.fact_filters import strip_fact_filters
from docyard.search.semantic_search import MAX_DISTANCE, MAX_EXACT_VECTORS, QueryVector, explain_unavailable
from docyard.store import embeddings

_SQL = Queries("docyard.search", "tags.sql")
_OVERFETCH = 3  # tags read per requested tag, because some may no longer belong to a document
_MAX_WORDS = 20
_MAX_COUNT = 1_000_000  # documents counted per tag


@dataclass(frozen=True, slots=True)
class TagHit:
    """A tag, the number of its documents, and its cosine similarity to the query if found by vector."""

    name: str
    documents: int
    closeness: float | None = None


@dataclass(frozen=True, slots=True)
class TagResult:
    """Tags, best first; `by` is how they were found (use, meaning or name), `note` is why not by meaning."""

    tags: tuple[TagHit, ...]
    by: str
    note: str | None = None


def find_tags(conn: Connection, typed: str = "", *, meaning: QueryVector | None = None, limit: int = 20) -> TagResult:
    """Return tags similar in meaning or with matching names, or the most used tags if there are no words."""
    words = strip_fact_filters(typed).replace("\x00", " ")
    if not words.strip():
        return TagResult(_fetch_tags(conn, "most_used", {"limit": limit}), "use")
    by_name = _find_by_name(conn, words, limit)
    note = explain_unavailable(conn, meaning)
    if note is not None or meaning is None:
        return TagResult(by_name, "name", note)
    near = _find_nearest(conn, meaning, limit, MAX_DISTANCE, _MAX_COUNT)
    known = {each.name for each in near}
    # Matching names are added, because a new tag may have no vector yet.
    others = tuple(each for each in by_name if each.name not in known)
    return TagResult((near + others)[:limit], "meaning")


def find_near_tags(
    conn: Connection, meaning: QueryVector | None, *, limit: int = 8, closest: float = 0.4
) -> tuple[TagHit, ...]:
    """Return tags that can narrow a search, nearest first; `documents` is always 1 (not counted)."""
    if meaning is None or explain_unavailable(conn, meaning) is not None:
        return ()
    return _find_nearest(conn, meaning, limit, 1 - closest, 1)


def _find_nearest(
    conn: Connection, meaning: QueryVector, limit: int, farthest: float, up_to: int
) -> tuple[TagHit, ...]:
    params = {
        "model": embeddings.find_model(conn, meaning.fingerprint),
        "vector": meaning.vector,
        "exact_up_to": MAX_EXACT_VECTORS,
        "farthest": farthest,
        "up_to": up_to,
        "limit": limit,
        "looked_at": limit * _OVERFETCH,
    }
    return _fetch_tags(conn, "nearest", params)


def _find_by_name(conn: Connection, words: str, limit: int) -> tuple[TagHit, ...]:
    params = {
        "words": words.split()[:_MAX_WORDS],
        "typed": words,
        "limit": limit,
        "looked_at": limit * _OVERFETCH,
        "up_to": _MAX_COUNT,
    }
    return _fetch_tags(conn, "named", params)


def _fetch_tags(conn: Connection, query: str, params: Mapping[str, object]) -> tuple[TagHit, ...]:
    return tuple(TagHit(**row) for row in conn.execute(_SQL[query], params))
