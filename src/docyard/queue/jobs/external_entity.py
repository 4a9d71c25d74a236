"""The external entity that a job refers to, such as a work order."""

from __future__ import annotations

from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.jobs", "external_entity.sql")


def get_external_entity(conn: Connection, job_id: UUID) -> tuple[str, str] | None:
    """Return the type and id of the external entity of a live job, or None if either is missing."""
    row = conn.execute(_SQL["get_external_entity"], {"job_id": job_id}).fetchone() or {}
    kind, identity = row.get("entity_type"), row.get("entity_id")
    return (kind, identity) if kind and identity else None
