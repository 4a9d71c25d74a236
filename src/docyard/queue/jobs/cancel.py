"""Ending work that nobody wants any more, queued or running."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

import psycopg

from docyard.db import Connection, Queries
from docyard.queue.jobs.children import wake_parents

_SQL = Queries("docyard.queue.jobs", "cancel.sql")


def cancel_jobs(conn: Connection, ids: Sequence[UUID]) -> list[tuple[UUID, UUID | None]]:
    """End jobs and their children; gives each ended job, and its document where it was a step of its road."""
    family = _settled(conn, lambda: _lock_families(conn, ids), lambda: _families(conn, ids))
    ended = conn.execute(_SQL["cancel_jobs"], {"ids": list(family)}).fetchall()
    wake_parents(conn, [(row["parent_id"], True) for row in ended if row["parent_id"]])
    return [(row["id"], row["document_id"] if row["type"] == "document" else None) for row in ended]


def cancel_document(conn: Connection, document_id: UUID) -> None:
    """End every live job of a document, queued or running, and drop its dead letters; both stay locked."""
    cancel_jobs(conn, list(lock_document(conn, document_id)))
    conn.execute(_SQL["discard_letters_of"], {"document_id": document_id})


def lock_document(conn: Connection, document_id: UUID) -> set[UUID]:
    """Lock a document after its live jobs and their children; gives the jobs."""

    def live() -> list[UUID]:
        rows = conn.execute(_SQL["jobs_of_document"], {"document_id": document_id})
        return [row["id"] for row in rows]

    def lock() -> set[UUID]:
        families = _lock_families(conn, live())
        conn.execute(_SQL["lock_document"], {"document_id": document_id})
        return families

    return _settled(conn, lock, lambda: _families(conn, live()))


def document_of_road(conn: Connection, job_id: UUID) -> UUID | None:
    """The document on whose road this live job is; None for other jobs."""
    row = conn.execute(_SQL["document_of_road"], {"id": job_id}).fetchone()
    return row["document_id"] if row else None


def _lock_families(conn: Connection, ids: Sequence[UUID]) -> set[UUID]:
    return {row["id"] for row in conn.execute(_SQL["lock_families"], {"ids": list(ids)})}


def _families(conn: Connection, ids: Sequence[UUID]) -> set[UUID]:
    return {row["id"] for row in conn.execute(_SQL["families"], {"ids": list(ids)})}


def _settled(conn: Connection, lock: Callable[[], set[UUID]], look: Callable[[], set[UUID]]) -> set[UUID]:
    """Lock until nobody was added meanwhile; letting go in between keeps the order of the locks."""
    while True:
        with conn.transaction() as attempt:
            family = lock()
            # Only looked for: to lock a job while the document is held would be the wrong order.
            if look() <= family:
                return family
            raise psycopg.Rollback(attempt)
