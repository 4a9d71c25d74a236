"""Ending work that nobody wants any more, queued or running."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.queue.children import wake_parents

_SQL = Queries("docyard.queue", "cancel.sql")


def cancel_jobs(conn: Connection, ids: Sequence[UUID]) -> list[tuple[UUID, UUID | None]]:
    """End jobs and their children; gives each ended job, and its document where it was a step of its road."""
    ended = conn.execute(_SQL["cancel_jobs"], {"ids": list(ids)}).fetchall()
    wake_parents(conn, [(row["parent_id"], True) for row in ended if row["parent_id"]])
    return [(row["id"], row["document_id"] if row["type"] == "document" else None) for row in ended]


def cancel_document(conn: Connection, document_id: UUID) -> None:
    """End every live job of a document, queued or running, and drop its dead letters; both stay locked."""
    conn.execute(_SQL["lock_document"], {"document_id": document_id})
    live = conn.execute(_SQL["jobs_of_document"], {"document_id": document_id}).fetchall()
    cancel_jobs(conn, [row["id"] for row in live])
    conn.execute(_SQL["discard_letters_of"], {"document_id": document_id})
