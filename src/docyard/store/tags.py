"""The tags of a workspace and their vectors; a trigger keeps the registry, whoever tags a document."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.store.embeddings import as_text

_SQL = Queries("docyard.store", "tags.sql")
_LATELY = 500  # documents; what nobody gives any more is no longer suggested
Tag = tuple[int, str]


def given_lately(conn: Connection, workspace_id: UUID, most: int = 100) -> list[str]:
    """Tags that people gave the newest documents, in order."""
    given = {"workspace_id": workspace_id, "documents": _LATELY, "most": most}
    return [row["name"] for row in conn.execute(_SQL["given_lately"], given)]


def forget_unused(conn: Connection, most: int, rested: float) -> tuple[int, int]:
    """Drop tags that no document has, of some not looked at for so long; gives how many were, and went."""
    row = conn.execute(_SQL["forget_unused"], {"most": most, "rested": rested}).fetchone()
    return (row["seen"], row["gone"]) if row else (0, 0)


def missing_of_document(conn: Connection, document_id: UUID, model: int, most: int) -> list[Tag]:
    """Number and name of the tags of a document that this model has not embedded."""
    given = {"document_id": document_id, "model": model, "most": most}
    return [(row["id"], row["name"]) for row in conn.execute(_SQL["missing_of_document"], given)]


def missing_of_workspace(conn: Connection, workspace_id: UUID, model: int, most: int) -> list[Tag]:
    """Number and name of some tags of a workspace that this model has not embedded."""
    given = {"workspace_id": workspace_id, "model": model, "most": most}
    return [(row["id"], row["name"]) for row in conn.execute(_SQL["missing_of_workspace"], given)]


def workspaces_to_embed(conn: Connection, model: int, most: int) -> list[UUID]:
    """Workspaces with tags that this model has not embedded, and where no job is about to."""
    rows = conn.execute(_SQL["workspaces_to_embed"], {"model": model, "most": most})
    return [row["workspace_id"] for row in rows]


def save_embeddings(conn: Connection, model: int, tags: Sequence[Tag], vectors: Sequence[bytes]) -> None:
    """Save vectors of tags, in place of those of other models."""
    given = {
        "model": model,
        "tags": [number for number, _ in tags],
        "vectors": [as_text(one) for one in vectors],
    }
    conn.execute(_SQL["save_embeddings"], given)
