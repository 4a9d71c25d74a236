"""What a search means: its vector, made by a child that keeps the model loaded; and the passages near it."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from docyard import log
from docyard.db import Connection, Queries
from docyard.errors import Failure
from docyard.inference.embedding import find_model, missing
from docyard.model import timeouts
from docyard.pipeline.children import ChildPool
from docyard.pipeline.children.tasks import embed_texts
from docyard.search.facts import plain_words
from docyard.search.filters import Filters
from docyard.search.lexical import Found
from docyard.store import embeddings

_SQL = Queries("docyard.search", "search.sql")
_NEAREST = 200
EXACT_UP_TO = 20_000  # vectors of a workspace that are compared one by one; more go through the index
FARTHEST = 0.75  # cosine distance; what is farther has nothing to do with it


@dataclass(frozen=True, slots=True)
class Meaning:
    """A vector and the fingerprint of the model that made it."""

    fingerprint: str
    vector: str


def meaning_of(children: ChildPool | None, words: str) -> Meaning | None:
    """What the words mean, or None where no model is installed or it failed: words alone then have to do."""
    words = plain_words(words)
    model = find_model() if children is not None and words else None
    if model is None or children is None:
        return None
    try:
        (vector,) = children.call(embed_texts, model.folder, [words[:2000]], seconds=timeouts.QUERY)
    except Failure as failure:
        log.warn("query_not_embedded", category=failure.category, message=failure.message)
        return None
    return Meaning(model.fingerprint, embeddings.as_text(vector))


def why_off(conn: Connection, meaning: Meaning | None) -> str | None:
    """Why there is no search by meaning here, in words; None when there is."""
    if not embeddings.can_keep_embeddings(conn):
        return "Search by meaning is off: the database has no pgvector."
    if meaning is None:
        lacking = missing()
        why = f"{lacking} is not installed here" if lacking else "the model that makes vectors did not answer"
        return f"Search by meaning is off: {why}."
    if embeddings.find_model(conn, meaning.fingerprint) is None:
        return "Search by meaning is not ready: no document has been embedded yet."
    return None


def nearest(
    conn: Connection, meaning: Meaning, filters: Filters, *, besides: UUID | None = None
) -> list[Found]:
    """The documents with the passages nearest to the meaning, each with its nearest one."""
    model = embeddings.find_model(conn, meaning.fingerprint)
    if model is None:
        return []
    given = {
        **filters.given(),
        "model": model,
        "vector": meaning.vector,
        "most": _NEAREST,
        "exact_up_to": EXACT_UP_TO,
        "besides": besides,
    }
    found: dict[UUID, Found] = {}
    for row in conn.execute(_SQL["nearest_chunks"], given):
        if row["distance"] <= FARTHEST:
            near = Found(row["document_id"], row["chunk_id"], 1 - row["distance"])
            found.setdefault(near.document_id, near)
    return list(found.values())
