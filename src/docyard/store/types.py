"""The list of document types of a workspace: what it switched off, and what it added."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.errors import BadInput, NotFound
from docyard.model.document_types import DOCUMENT_TYPES, MOST_OWN, KnownTypes, OwnType

_SQL = Queries("docyard.store", "types.sql")


def known_types(conn: Connection, workspace_id: UUID) -> KnownTypes:
    """The types that documents of a workspace can be of."""
    rows = conn.execute(_SQL["known_types"], {"workspace_id": workspace_id}).fetchall()
    return KnownTypes(
        frozenset(row["name"] for row in rows if row["is_off"]),
        tuple(_own(row) for row in rows if row["description"] is not None),
    )


def save_type(conn: Connection, workspace_id: UUID, new: OwnType, by: str | None) -> None:
    """Add a type of the workspace's own, or describe it anew."""
    given = _changing(conn, workspace_id, new.name, by)
    known = {each.name for each in known_types(conn, workspace_id).own}
    if new.name not in known and len(known) >= MOST_OWN:
        raise BadInput(f"A workspace has at most {MOST_OWN} types of its own.")
    conn.execute(_SQL["save_type"], {**given, "description": new.description, "phrases": list(new.phrases)})


def remove_type(conn: Connection, workspace_id: UUID, name: str) -> None:
    """Remove a type of the workspace's own; documents stay of it until they are classified again."""
    given = _changing(conn, workspace_id, name, None)
    if name in DOCUMENT_TYPES:
        raise BadInput(f"{name} is a type of Docyard's own; it can be switched off.")
    known = known_types(conn, workspace_id)
    _require(known, name)
    _leave_one(known, name)
    conn.execute(_SQL["forget_type"], given)


def switch_type(conn: Connection, workspace_id: UUID, name: str, by: str | None, *, on: bool) -> None:
    """Let documents be of this type, or not, from now on."""
    given = _changing(conn, workspace_id, name, by)
    known = known_types(conn, workspace_id)
    _require(known, name)
    if on:
        conn.execute(_SQL["forget_type" if name in DOCUMENT_TYPES else "switch_own_on"], given)
    elif name in known.names:
        _leave_one(known, name)
        conn.execute(_SQL["switch_off"], given)


def _changing(conn: Connection, workspace_id: UUID, name: str, by: str | None) -> dict[str, Any]:
    conn.execute(_SQL["lock_types"], {"workspace_id": workspace_id})
    return {"workspace_id": workspace_id, "name": name, "by": by}


def _require(known: KnownTypes, name: str) -> None:
    if name not in DOCUMENT_TYPES and name not in {each.name for each in known.own}:
        raise NotFound(f"There is no type {name[:100]!r} in this workspace.")


def _leave_one(known: KnownTypes, name: str) -> None:
    if known.names == (name,):
        raise BadInput("One type must be left; 'not sure' is an answer already.")


def _own(row: dict[str, Any]) -> OwnType:
    return OwnType(row["name"], row["description"], tuple(row["phrases"]))
