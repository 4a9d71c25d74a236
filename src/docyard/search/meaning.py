"""What a search means: its vector, made by a child that keeps the model loaded; and the passages near it."""

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
_WAITING = threading.BoundedSemaphore(32)  # searches that wait for a vector; more go by words at once
FARTHEST = 0.75  # cosine distance; what is farther has nothing to do with it


@dataclass(frozen=True, slots=True)
class Meaning:
    """A vector and the fingerprint of the model that made it."""

    fingerprint: str
    vector: str


def meaning_of(children: ChildPool | None, words: str, *, patience: float = timeouts.QUERY) -> Meaning | None:
    """What the words mean; None where no model is installed, it failed, or took longer than `patience`.

    A child that is still loading the model goes on with it: if it were given up, a busy machine would begin
    to load it again with every search and never come to an end.
    """
    words = plain_words(words)
    model = find_model() if children is not None and words else None
    if model is None or children is None or not _WAITING.acquire(blocking=False):
        return None
    answer: Future[bytes] = Future()
    asking = partial(_embed, children, model.folder, words[:2000], answer)
    threading.Thread(target=asking, name="query", daemon=True).start()
    try:
        return Meaning(model.fingerprint, embeddings.as_text(answer.result(patience)))
    except (Failure, TimeoutError) as error:
        log.warn("query_not_embedded", error=f"{type(error).__name__}: {error}".strip())
        return None


def _embed(children: ChildPool, folder: Path, text: str, answer: Future[bytes]) -> None:
    try:
        (vector,) = children.call(embed_texts, folder, [text], seconds=timeouts.MODEL_LOAD)
        answer.set_result(vector)
    except BaseException as error:  # noqa: BLE001 (whoever waits is told)
        answer.set_exception(error)
    finally:
        _WAITING.release()


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
