"""Semantic search: query vectors, computed in a child process, and the passages nearest to them."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from uuid import UUID

from docyard import log
from docyard.db import Connection, Queries
from docyard.errors import Failure
from docyard.inference.embedding import find_missing, find_model
from docyard.model import timeouts
from docyard.pipeline.children import ChildPool
from docyard.pipeline.children.tasks import embed_texts
from docyard.search.fact_filters import strip_fact_filters
from docyard.search.filters import Filters
from docyard.search.lexical import FoundDocument
from docyard.store import embeddings

_SQL = Queries("docyard.search", "search.sql")
_MAX_PASSAGES = 200
MAX_EXACT_VECTORS = 20_000  # maximum number of vectors for exact search; larger workspaces use the index
_PENDING = threading.BoundedSemaphore(32)  # searches waiting for a vector; further ones use words alone
MAX_DISTANCE = 0.75  # cosine distance; results beyond it are considered unrelated


@dataclass(frozen=True, slots=True)
class QueryVector:
    """A query vector and the fingerprint of the model that computed it."""

    fingerprint: str
    vector: str


def embed_query(children: ChildPool | None, words: str, *, patience: float = timeouts.QUERY) -> QueryVector | None:
    """Return the vector of a query, or None if it is not available within `patience` seconds.

    After a timeout the child process continues to load the model, so that a later search can use it.
    """
    words = strip_fact_filters(words)
    model = find_model() if children is not None and words else None
    if model is None or children is None or not _PENDING.acquire(blocking=False):
        return None
    vector: Future[bytes] = Future()
    embed = partial(_embed, children, model.folder, words[:2000], vector)
    threading.Thread(target=embed, name="query", daemon=True).start()
    try:
        return QueryVector(model.fingerprint, embeddings.format_vector(vector.result(patience)))
    except (Failure, TimeoutError) as error:
        log.warn("query_not_embedded", error=f"{type(error).__name__}: {error}".strip())
        return None


def _embed(children: ChildPool, folder: Path, text: str, result: Future[bytes]) -> None:
    try:
        (vector,) = children.call(embed_texts, folder, [text], seconds=timeouts.MODEL_LOAD)
        result.set_result(vector)
    except BaseException as error:  # noqa: BLE001 (the waiting thread gets it)
        result.set_exception(error)
    finally:
        _PENDING.release()


def explain_unavailable(conn: Connection, meaning: QueryVector | None) -> str | None:
    """Return a message that explains why semantic search is not available, or None if it is."""
    if not embeddings.has_vector_tables(conn):
        return "Semantic search is off: the database has no pgvector extension."
    if meaning is None:
        absent = find_missing()
        reason = f"{absent} is not installed" if absent else "the embedding model did not respond"
        return f"Semantic search is off: {reason}."
    if embeddings.find_model(conn, meaning.fingerprint) is None:
        return "Semantic search is not ready: no document has been embedded yet."
    return None


def find_nearest(
    conn: Connection, meaning: QueryVector, filters: Filters, *, exclude: UUID | None = None
) -> list[FoundDocument]:
    """Return the documents nearest to the query vector, nearest first, each with its nearest passage."""
    model = embeddings.find_model(conn, meaning.fingerprint)
    if model is None:
        return []
    params = {
        **filters.query_params(),
        "model": model,
        "vector": meaning.vector,
        "limit": _MAX_PASSAGES,
        "exact_up_to": MAX_EXACT_VECTORS,
        "besides": exclude,
    }
    found: dict[UUID, FoundDocument] = {}
    for row in conn.execute(_SQL["nearest_chunks"], params):
        if row["distance"] <= MAX_DISTANCE:
            near = FoundDocument(row["document_id"], row["chunk_id"], 1 - row["distance"])
            found.setdefault(near.document_id, near)
    return list(found.values())
