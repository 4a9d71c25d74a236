"""Ending work that nobody wants any more."""

from __future__ import annotations

from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue", "cancel.sql")


def cancel_document(conn: Connection, document_id: UUID) -> None:
    """End every live job of a document, queued or running, and drop its dead letters."""
    conn.execute(_SQL["cancel_document"], {"document_id": document_id})
    conn.execute(_SQL["discard_letters_of"], {"document_id": document_id})
