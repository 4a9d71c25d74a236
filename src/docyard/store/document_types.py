"""The document types of a workspace: added types, and types that are switched off."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.errors import BadInput, NotFound
from docyard.model.document_types import DOCUMENT_TYPES, MAX_CUSTOM_TYPES, CustomType, WorkspaceTypes

_SQL = Queries("docyard.store", "document_types.sql")


def load_types(conn: Connection, workspace_id: UUID) -> WorkspaceTypes:
    """Return the document types of a workspace."""
    rows = conn.execute(_SQL["load_types"], {"workspace_id": workspace_id}).fetchall()
    return WorkspaceTypes(
        frozenset(row["name"] for row in rows if row["is_off"]),
        tuple(_make_type(row) for row in rows if row["description"] is not None),
    )


def save_type(conn: Connection, workspace_id: UUID, new: CustomType, by: str | None) -> None:
    """Add a type to the workspace, or change its description and phrases; in both cases, switch it on."""
    params = _lock_and_bind(conn, workspace_id, new.name, by)
    known = {each.name for each in load_types(conn, workspace_id).own}
    if new.name not in known and len(known) >= MAX_CUSTOM_TYPES:
        raise BadInput(f"A workspace can add at most {MAX_CUSTOM_TYPES} types; remove one first.")
    conn.execute(_SQL["save_type"], {**params, "description": new.description, "phrases": list(new.phrases)})


def remove_type(conn: Connection, workspace_id: UUID, name: str) -> None:
    """Remove a type that the workspace added; documents keep it until they are classified again."""
    params = _lock_and_bind(conn, workspace_id, name, None)
    if name in DOCUMENT_TYPES:
        raise BadInput(f"{name} is a built-in type; it cannot be removed, but it can be switched off.")
    known = load_types(conn, workspace_id)
    _require_known(known, name)
    _require_another(known, name)
    conn.execute(_SQL["forget_type"], params)


def switch_type(conn: Connection, workspace_id: UUID, name: str, by: str | None, *, on: bool) -> None:
    """Switch a type on or off for future classifications."""
    params = _lock_and_bind(conn, workspace_id, name, by)
    known = load_types(conn, workspace_id)
    _require_known(known, name)
    if on:
        conn.execute(_SQL["forget_type" if name in DOCUMENT_TYPES else "switch_own_on"], params)
    elif name in known.names:
        _require_another(known, name)
        conn.execute(_SQL["switch_off"], params)


def _lock_and_bind(conn: Connection, workspace_id: UUID, name: str, by: str | None) -> dict[str, Any]:
    conn.execute(_SQL["lock_types"], {"workspace_id": workspace_id})
    return {"workspace_id": workspace_id, "name": name, "by": by}


def _require_known(known: WorkspaceTypes, name: str) -> None:
    if name not in DOCUMENT_TYPES and name not in {each.name for each in known.own}:
        raise NotFound(f"There is no type {name[:100]!r} in this workspace.")


def _require_another(known: WorkspaceTypes, name: str) -> None:
    if known.names == (name,):
        raise BadInput("At least one type must stay switched on.")


def _make_type(row: dict[str, Any]) -> CustomType:
    return CustomType(row["name"], row["description"], tuple(row["phrases"]))
