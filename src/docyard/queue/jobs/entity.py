"""What a job concerns outside Docyard, such as a work order."""

from __future__ import annotations

from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.jobs", "entity.sql")


def entity_of(conn: Connection, job_id: UUID) -> tuple[str, str] | None:
    """Type and id of the thing a live job concerns; None when it names none, or only half of it."""
    row = conn.execute(_SQL["entity_of"], {"job_id": job_id}).fetchone() or {}
    kind, identity = row.get("entity_type"), row.get("entity_id")
    return (kind, identity) if kind and identity else None
