"""Folders of a workspace."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import psycopg

from docyard.db import Connection, Queries
from docyard.errors import BadInput, NotFound
from docyard.model.names import normalise_folder_name

_SQL = Queries("docyard.store", "folders.sql")


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder and the number of documents in it."""

    id: UUID
    name: str
    documents: int
    created_at: datetime


def find_folder(conn: Connection, workspace_id: UUID, name: str) -> UUID | None:
    """Return the id of the folder with this name, ignoring case, or None."""
    row = conn.execute(_SQL["folder_named"], {"workspace_id": workspace_id, "name": name}).fetchone()
    return row["id"] if row else None


def ensure_folder(conn: Connection, workspace_id: UUID, name: str) -> tuple[UUID, bool]:
    """Create the folder with this name if it is missing; return its id and whether it was created."""
    name = normalise_folder_name(name)
    while True:
        if found := find_folder(conn, workspace_id, name):
            return found, False
        row = conn.execute(_SQL["add_folder"], {"workspace_id": workspace_id, "name": name}).fetchone()
        if row:
            return row["id"], True
        # Another transaction created the folder in the meantime, so it is looked up again.


def list_folders(conn: Connection, workspace_id: UUID) -> list[Folder]:
    """Return the folders of a workspace, sorted by name."""
    return [Folder(**row) for row in conn.execute(_SQL["list_folders"], {"workspace_id": workspace_id})]


def folder_names(conn: Connection, workspace_id: UUID, limit: int = 500) -> list[str]:
    """Return the names of the folders of a workspace, sorted."""
    params = {"workspace_id": workspace_id, "limit": limit}
    return [row["name"] for row in conn.execute(_SQL["folder_names"], params)]


def rename_folder(conn: Connection, workspace_id: UUID, folder_id: UUID, name: str) -> None:
    """Rename a folder; raise BadInput if another folder has the name."""
    params = {"workspace_id": workspace_id, "id": folder_id, "name": normalise_folder_name(name)}
    try:
        row = conn.execute(_SQL["rename_folder"], params).fetchone()
    except psycopg.errors.UniqueViolation:
        raise BadInput(f"A folder named {params['name']!r} already exists.") from None
    if row is None:
        raise NotFound("There is no such folder.")


def remove_folder(conn: Connection, workspace_id: UUID, folder_id: UUID) -> None:
    """Remove a folder; its documents are kept without a folder."""
    params = {"workspace_id": workspace_id, "id": folder_id}
    if conn.execute(_SQL["remove_folder"], params).fetchone() is None:
        raise NotFound("There is no such folder.")


def move_document(conn: Connection, workspace_id: UUID, document_id: UUID, name: str) -> UUID | None:
    """Move a document to a folder, created if missing, or to none if `name` is blank; return the folder."""
    folder = ensure_folder(conn, workspace_id, name)[0] if name.strip() else None
    params = {"workspace_id": workspace_id, "id": document_id, "folder_id": folder}
    if conn.execute(_SQL["move_document"], params).fetchone() is None:
        raise NotFound("There is no such document.")
    return folder
