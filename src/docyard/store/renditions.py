"""Renditions: files made from an original, such as page images."""

from __future__ import annotations

from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.store", "renditions.sql")


def save_rendition(
    conn: Connection, document_id: UUID, workspace_id: UUID, *, kind: str, page: int, blob_key: str, media_type: str
) -> None:
    """Record the blob of a rendition; an existing rendition is kept."""
    params = {
        "document_id": document_id,
        "workspace_id": workspace_id,
        "kind": kind,
        "page": page,
        "blob_key": blob_key,
        "media_type": media_type,
    }
    conn.execute(_SQL["save_rendition"], params)


def find_rendition(conn: Connection, document_id: UUID, *, kind: str, page: int) -> str | None:
    """Return the blob key of an existing rendition, or None."""
    row = conn.execute(_SQL["find_rendition"], {"document_id": document_id, "kind": kind, "page": page}).fetchone()
    return str(row["blob_key"]) if row else None
