"""Queueing failed documents again by themselves, as operators do by hand."""

from __future__ import annotations

from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.jobs", "reset.sql")


def resettable_documents(conn: Connection, *, cool_down: float, most: int) -> list[UUID]:
    """Documents that ended failed long enough ago, could succeed, and have attempts left."""
    conn.execute(_SQL["be_brief"])
    rows = conn.execute(_SQL["resettable_documents"], {"cool_down": cool_down, "most": most})
    return [row["id"] for row in rows]


def requeue_document(conn: Connection, document_id: UUID) -> bool:
    """Put a document back on its road; False when it can never succeed, or is on it already."""
    return conn.execute(_SQL["requeue_document"], {"document_id": document_id}).fetchone() == {"queued": True}
