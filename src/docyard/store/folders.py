"""Folders, where people put the documents of a workspace."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import psycopg

from docyard.db import Connection, Queries
from docyard.errors import BadInput, NotFound
from docyard.model.names import folder_name

_SQL = Queries("docyard.store", "folders.sql")


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder and how many documents are in it."""

    id: UUID
    name: str
    documents: int
    created_at: datetime


def find_folder(conn: Connection, workspace_id: UUID, name: str) -> UUID | None:
    """The folder of that name, in capitals or not."""
    row = conn.execute(_SQL["folder_named"], {"workspace_id": workspace_id, "name": name}).fetchone()
    return row["id"] if row else None


def ensure_folder(conn: Connection, workspace_id: UUID, name: str) -> tuple[UUID, bool]:
    """The folder of that name, made if it is not there, and whether it was."""
    name = folder_name(name)
    while True:
        if found := find_folder(conn, workspace_id, name):
            return found, False
        row = conn.execute(_SQL["add_folder"], {"workspace_id": workspace_id, "name": name}).fetchone()
        if row:
            return row["id"], True
        # Somebody else made it a moment ago, or has already removed it again.


def list_folders(conn: Connection, workspace_id: UUID) -> list[Folder]:
    """The folders of a workspace by name."""
    return [Folder(**row) for row in conn.execute(_SQL["list_folders"], {"workspace_id": workspace_id})]


def folder_names(conn: Connection, workspace_id: UUID, most: int = 500) -> list[str]:
    """The names of the folders of a workspace, in order."""
    given = {"workspace_id": workspace_id, "most": most}
    return [row["name"] for row in conn.execute(_SQL["folder_names"], given)]


def rename_folder(conn: Connection, workspace_id: UUID, folder_id: UUID, name: str) -> None:
    """Give a folder another name, which no other may have."""
    given = {"workspace_id": workspace_id, "id": folder_id, "name": folder_name(name)}
    try:
        row = conn.execute(_SQL["rename_folder"], given).fetchone()
    except psycopg.errors.UniqueViolation:
        raise BadInput(f"There is a folder {given['name']!r} already.") from None
    if row is None:
        raise NotFound("There is no such folder.")


def remove_folder(conn: Connection, workspace_id: UUID, folder_id: UUID) -> None:
    """Remove a folder and leave its documents, in none."""
    given = {"workspace_id": workspace_id, "id": folder_id}
    if conn.execute(_SQL["remove_folder"], given).fetchone() is None:
        raise NotFound("There is no such folder.")


def move_document(conn: Connection, workspace_id: UUID, document_id: UUID, name: str) -> UUID | None:
    """Put a document into the folder of that name, made if it is not there; into none where it is empty."""
    folder = ensure_folder(conn, workspace_id, name)[0] if name.strip() else None
    given = {"workspace_id": workspace_id, "id": document_id, "folder_id": folder}
    if conn.execute(_SQL["move_document"], given).fetchone() is None:
        raise NotFound("There is no such document.")
    return folder
