"""Vectors, by the model that made them; where pgvector is missing there is no place for them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from uuid import UUID

from psycopg import sql

from docyard.db import Connection, Queries

_SQL = Queries("docyard.store", "embeddings.sql")


def prepare_embeddings(conn: Connection) -> bool:
    """Make the place for vectors if there is none; False where pgvector is missing or may not be used."""
    return _is_ready(conn, "prepare_embeddings")


def can_keep_embeddings(conn: Connection) -> bool:
    """Whether there is a place for vectors."""
    return _is_ready(conn, "can_keep_embeddings")


def is_embeddable(conn: Connection, document_id: UUID) -> bool:
    """Whether a document has chunks, and vectors of them could be kept."""
    row = conn.execute(_SQL["has_chunks"], {"document_id": document_id}).fetchone()
    return bool(row and row["ready"]) and can_keep_embeddings(conn)


def find_model(conn: Connection, fingerprint: str) -> int | None:
    """The number of a model, None when nothing was embedded by it yet."""
    row = conn.execute(_SQL["find_model"], {"fingerprint": fingerprint}).fetchone()
    return row["id"] if row else None


def ensure_model(conn: Connection, name: str, fingerprint: str, dims: int) -> int:
    """The number of a model; a new one gets an index of its own, because vectors of two must never meet."""
    number = find_model(conn, fingerprint)
    if number is None:
        conn.execute(_SQL["add_model"], {"name": name, "fingerprint": fingerprint, "dims": dims})
        number = find_model(conn, fingerprint)
    if number is None:
        raise LookupError(f"the model {name} could not be added")
    for table in ("chunk_embeddings", "tag_embeddings"):
        index = sql.Identifier(f"{table}_model_{number}")
        if conn.execute("SELECT to_regclass(%s) AS it", (index.as_string(),)).fetchone() == {"it": None}:
            conn.execute(_index(table, index, number, dims))
    return number


def missing_chunks(conn: Connection, document_id: UUID, model: int, most: int) -> list[tuple[int, str]]:
    """Number and text of the first chunks of a document that this model has not embedded."""
    given = {"document_id": document_id, "model": model, "most": most}
    return [(row["id"], row["text"]) for row in conn.execute(_SQL["missing_chunks"], given)]


def save_embeddings(conn: Connection, model: int, chunk_ids: Sequence[int], vectors: Sequence[bytes]) -> None:
    """Save vectors; those of chunks that are gone meanwhile are dropped."""
    given = {"model": model, "chunk_ids": list(chunk_ids), "vectors": [as_text(one) for one in vectors]}
    conn.execute(_SQL["save_embeddings"], given)


def mark_embedded(conn: Connection, document_id: UUID, model: int) -> None:
    """Note that a document is embedded, if all its chunks are."""
    conn.execute(_SQL["mark_embedded"], {"document_id": document_id, "model": model})


def unembedded_documents(conn: Connection, model: int, most: int) -> list[UUID]:
    """Documents that somebody should embed by this model, the newest first."""
    return [row["id"] for row in conn.execute(_SQL["unembedded_documents"], {"model": model, "most": most})]


def count_embedded(conn: Connection, model: int) -> int:
    """How many documents this model has embedded."""
    row = conn.execute(_SQL["embedding_progress"], {"model": model}).fetchone()
    return row["documents"] if row else 0


def mean_vector(conn: Connection, document_id: UUID, model: int) -> str | None:
    """The mean of a document's vectors, None when it has none of this model."""
    row = conn.execute(_SQL["mean_vector"], {"document_id": document_id, "model": model}).fetchone()
    return row["vector"] if row else None


def as_text(vector: bytes) -> str:
    """A vector of 32-bit numbers in pgvector's words."""
    return f"[{','.join(f'{x:.6g}' for (x,) in struct.iter_unpack('<f', vector))}]"


def _index(table: str, name: sql.Identifier, model: int, dims: int) -> sql.Composed:
    return sql.SQL(
        "CREATE INDEX IF NOT EXISTS {} ON {}"
        " USING hnsw ((vector::halfvec({})) halfvec_cosine_ops) WHERE model = {}"
    ).format(name, sql.Identifier(table), sql.Literal(dims), sql.Literal(model))


def _is_ready(conn: Connection, query: str) -> bool:
    row = conn.execute(_SQL[query]).fetchone()
    return bool(row and row["ready"])
