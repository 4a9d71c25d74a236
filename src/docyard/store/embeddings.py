"""Vectors of chunks, and the models that computed them; the tables exist only if pgvector is installed."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from uuid import UUID

from psycopg import sql

from docyard.db import Connection, Queries

_SQL = Queries("docyard.store", "embeddings.sql")


def prepare_embeddings(conn: Connection) -> bool:
    """Create the tables for vectors if needed; return False if pgvector is unavailable."""
    return _is_ready(conn, "prepare_embeddings")


def has_vector_tables(conn: Connection) -> bool:
    """Return whether the tables for vectors exist."""
    return _is_ready(conn, "can_keep_embeddings")


def is_embeddable(conn: Connection, document_id: UUID) -> bool:
    """Return whether vectors can be stored and the document has chunks."""
    row = conn.execute(_SQL["has_chunks"], {"document_id": document_id}).fetchone()
    return bool(row and row["ready"]) and has_vector_tables(conn)


def find_model(conn: Connection, fingerprint: str) -> int | None:
    """Return the id of the model with this fingerprint, or None."""
    row = conn.execute(_SQL["find_model"], {"fingerprint": fingerprint}).fetchone()
    return row["id"] if row else None


def ensure_model(conn: Connection, name: str, fingerprint: str, dims: int) -> int:
    """Return the id of a model; add the model and its vector indexes if they are missing."""
    model_id = find_model(conn, fingerprint)
    if model_id is None:
        conn.execute(_SQL["add_model"], {"name": name, "fingerprint": fingerprint, "dims": dims})
        model_id = find_model(conn, fingerprint)
    if model_id is None:
        raise LookupError(f"The embedding model {name} could not be added.")
    for table in ("chunk_embeddings", "tag_embeddings"):
        index = sql.Identifier(f"{table}_model_{model_id}")
        if conn.execute("SELECT to_regclass(%s) AS oid", (index.as_string(),)).fetchone() == {"oid": None}:
            conn.execute(_index_statement(table, index, model_id, dims))
    return model_id


def list_unembedded_chunks(conn: Connection, document_id: UUID, model: int, limit: int) -> list[tuple[int, str]]:
    """Return ids and texts of the first chunks of a document that have no vector of this model."""
    params = {"document_id": document_id, "model": model, "limit": limit}
    return [(row["id"], row["text"]) for row in conn.execute(_SQL["list_unembedded_chunks"], params)]


def save_embeddings(conn: Connection, model: int, chunk_ids: Sequence[int], vectors: Sequence[bytes]) -> None:
    """Save vectors of chunks, replacing those of other models; skip chunks that no longer exist."""
    params = {"model": model, "chunk_ids": list(chunk_ids), "vectors": [format_vector(one) for one in vectors]}
    conn.execute(_SQL["save_embeddings"], params)


def mark_embedded(conn: Connection, document_id: UUID, model: int) -> None:
    """Mark a document as embedded if all its chunks have vectors of this model."""
    conn.execute(_SQL["mark_embedded"], {"document_id": document_id, "model": model})


def list_unembedded_documents(conn: Connection, model: int, limit: int) -> list[UUID]:
    """Return completed documents that this model has not embedded, newest first.

    Documents that have an embed job or dead letter are omitted.
    """
    return [row["id"] for row in conn.execute(_SQL["list_unembedded_documents"], {"model": model, "limit": limit})]


def count_embedded(conn: Connection, model: int) -> int:
    """Count the documents that this model has embedded."""
    row = conn.execute(_SQL["embedding_progress"], {"model": model}).fetchone()
    return row["documents"] if row else 0


def load_mean_vector(conn: Connection, document_id: UUID, model: int) -> str | None:
    """Return the mean of a document's vectors of this model, or None if it has none."""
    row = conn.execute(_SQL["load_mean_vector"], {"document_id": document_id, "model": model}).fetchone()
    return row["vector"] if row else None


def format_vector(vector: bytes) -> str:
    """Convert packed 32-bit floats to pgvector's text format."""
    return f"[{','.join(f'{x:.6g}' for (x,) in struct.iter_unpack('<f', vector))}]"


def _index_statement(table: str, name: sql.Identifier, model: int, dims: int) -> sql.Composed:
    return sql.SQL(
        "CREATE INDEX IF NOT EXISTS {} ON {} USING hnsw ((vector::halfvec({})) halfvec_cosine_ops) WHERE model = {}"
    ).format(name, sql.Identifier(table), sql.Literal(dims), sql.Literal(model))


def _is_ready(conn: Connection, query: str) -> bool:
    row = conn.execute(_SQL[query]).fetchone()
    return bool(row and row["ready"])
