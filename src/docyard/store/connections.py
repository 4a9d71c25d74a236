"""LLM connections of a workspace; API keys are stored encrypted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import psycopg

from docyard.db import Connection, Queries
from docyard.errors import BadInput, NotFound
from docyard.model.connections import LlmConnection, NewConnection
from docyard.store.key_encryption import KeyCipher

_SQL = Queries("docyard.store", "connections.sql")


@dataclass(frozen=True, slots=True)
class ConnectionSummary:
    """A connection without its key, with the result of its last test."""

    id: UUID
    name: str
    provider: str
    model: str
    base_url: str | None
    classifies: bool
    created_at: datetime
    tried_at: datetime | None = None
    tried_seconds: float | None = None
    trouble: str | None = None  # error of the last test; None if it succeeded or never ran


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """The limits of a connection's pool: concurrent jobs, and jobs started per second."""

    running: int
    rate: float


def add_connection(
    conn: Connection, new: NewConnection, seal: KeyCipher, bounds: PoolLimits, *, by: UUID | None = None
) -> UUID:
    """Add a connection and its pool to the transaction's workspace; return the connection's id."""
    params = {
        "name": new.name,
        "provider": new.provider,
        "model": new.model,
        "base_url": new.base_url,
        "sealed_key": seal.encrypt(new.key) if new.key else None,
        "created_by": by,
        "running": bounds.running,
        "rate": bounds.rate,
    }
    try:
        row = conn.execute(_SQL["add_connection"], params).fetchone()
    except psycopg.errors.UniqueViolation:
        raise BadInput(f"A connection named {new.name!r} already exists.") from None
    if row is None or row["id"] is None:
        raise BadInput("This workspace has the maximum number of connections. Remove one first.")
    made: UUID = row["id"]
    return made


def list_connections(conn: Connection, workspace_id: UUID) -> list[ConnectionSummary]:
    """Return the connections of a workspace, sorted by name."""
    rows = conn.execute(_SQL["list_connections"], {"workspace_id": workspace_id})
    return [ConnectionSummary(**row) for row in rows]


def load_connection(conn: Connection, workspace_id: UUID, connection_id: UUID, seal: KeyCipher) -> LlmConnection:
    """Return a connection with its decrypted key; only the database owner can read keys."""
    row = conn.execute(_SQL["get_sealed"], {"workspace_id": workspace_id, "id": connection_id}).fetchone()
    if row is None:
        raise NotFound("There is no such connection.")
    sealed = row.pop("sealed_key")
    return LlmConnection(**row, key=seal.decrypt(sealed) if sealed else "")


def find_classifier(conn: Connection, workspace_id: UUID) -> UUID | None:
    """Return the id of the connection that classifies the documents of a workspace, or None."""
    row = conn.execute(_SQL["find_classifier"], {"workspace_id": workspace_id}).fetchone()
    return row["id"] if row else None


def set_classifier(conn: Connection, workspace_id: UUID, connection_id: UUID | None) -> UUID | None:
    """Set or clear the connection that classifies the documents of a workspace; return the previous one."""
    params = {"workspace_id": workspace_id, "id": connection_id}
    last = conn.execute(_SQL["stop_classifying"], params).fetchone()
    if connection_id is not None and conn.execute(_SQL["start_classifying"], params).fetchone() is None:
        raise NotFound("There is no such connection.")
    return last["id"] if last else None


def record_test(conn: Connection, connection_id: UUID, seconds: float, trouble: str | None) -> None:
    """Record the result of testing a connection."""
    conn.execute(_SQL["record_test"], {"id": connection_id, "seconds": seconds, "trouble": trouble})


def remove_connection(conn: Connection, connection_id: UUID) -> None:
    """Remove a connection of the transaction's workspace; documents waiting for it continue without it."""
    row = conn.execute(_SQL["remove_connection"], {"id": connection_id}).fetchone()
    if row is None or not row["removed"]:
        raise NotFound("There is no such connection.")
