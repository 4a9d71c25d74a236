"""The tags of a workspace and their vectors; triggers maintain the tag registry."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.store.embeddings import format_vector

_SQL = Queries("docyard.store", "tags.sql")
_RECENT_DOCUMENTS = 500  # newest documents whose tags are suggested
Tag = tuple[int, str]  # id and name


def list_recent_tags(conn: Connection, workspace_id: UUID, limit: int = 100) -> list[str]:
    """Return the tags that users added to the newest documents, sorted."""
    params = {"workspace_id": workspace_id, "documents": _RECENT_DOCUMENTS, "limit": limit}
    return [row["name"] for row in conn.execute(_SQL["list_recent_tags"], params)]


def delete_unused_tags(conn: Connection, limit: int, rested: float) -> tuple[int, int]:
    """Check at most `limit` tags and delete unused ones; return how many were checked and deleted.

    Tags that were checked less than `rested` seconds ago are skipped.
    """
    row = conn.execute(_SQL["delete_unused_tags"], {"limit": limit, "rested": rested}).fetchone()
    return (row["seen"], row["gone"]) if row else (0, 0)


def list_unembedded_of_document(conn: Connection, document_id: UUID, model: int, limit: int) -> list[Tag]:
    """Return tags of a document that have no vector of this model."""
    params = {"document_id": document_id, "model": model, "limit": limit}
    return [(row["id"], row["name"]) for row in conn.execute(_SQL["list_unembedded_of_document"], params)]


def list_unembedded_of_workspace(conn: Connection, workspace_id: UUID, model: int, limit: int) -> list[Tag]:
    """Return tags of a workspace that have no vector of this model."""
    params = {"workspace_id": workspace_id, "model": model, "limit": limit}
    return [(row["id"], row["name"]) for row in conn.execute(_SQL["list_unembedded_of_workspace"], params)]


def list_workspaces_to_embed(conn: Connection, model: int, limit: int) -> list[UUID]:
    """Return workspaces that have tags to embed with this model, but no embed job or dead letter."""
    rows = conn.execute(_SQL["list_workspaces_to_embed"], {"model": model, "limit": limit})
    return [row["workspace_id"] for row in rows]


def save_embeddings(conn: Connection, model: int, tags: Sequence[Tag], vectors: Sequence[bytes]) -> None:
    """Save vectors of tags, replacing those of other models."""
    params = {
        "model": model,
        "tags": [tag_id for tag_id, _ in tags],
        "vectors": [format_vector(one) for one in vectors],
    }
    conn.execute(_SQL["save_embeddings"], params)
