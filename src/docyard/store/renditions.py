"""Renditions: what is made from an original to show it, kept beside it."""

from __future__ import annotations

from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.store", "renditions.sql")


def save_rendition(
    conn: Connection,
    document_id: UUID,
    workspace_id: UUID,
    *,
    kind: str,
    page: int,
    blob_key: str,
    media_type: str,
) -> None:
    """Remember where a rendition is kept."""
    given = {
        "document_id": document_id,
        "workspace_id": workspace_id,
        "kind": kind,
        "page": page,
        "blob_key": blob_key,
        "media_type": media_type,
    }
    conn.execute(_SQL["save_rendition"], given)


def find_rendition(conn: Connection, document_id: UUID, *, kind: str, page: int) -> str | None:
    """The blob key of a rendition made before."""
    row = conn.execute(
        _SQL["find_rendition"], {"document_id": document_id, "kind": kind, "page": page}
    ).fetchone()
    return str(row["blob_key"]) if row else None
