"""Resets: failed documents that are queued again automatically, and jobs that are taken from their holder."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.jobs", "resets.sql")


@dataclass(frozen=True, slots=True)
class ResetCounts:
    """The number of documents that a reset queued, of those among them that waited for a retry, and of locked ones."""

    queued: int
    waiting_for_retry: int
    locked: int


def find_resettable_documents(conn: Connection, *, cool_down: float, limit: int) -> list[UUID]:
    """Return the ids of failed documents that a reset queues and that failed at least `cool_down` seconds ago.

    Also set short statement and lock timeouts for the rest of the transaction.
    """
    conn.execute(_SQL["be_brief"])
    rows = conn.execute(_SQL["find_resettable_documents"], {"cool_down": cool_down, "limit": limit})
    return [row["id"] for row in rows]


def reset_failed_documents(conn: Connection, *, cool_down: float, workspace_id: UUID | None = None) -> ResetCounts:
    """Enqueue documents that failed at least `cool_down` seconds ago and that a reset can revive; skip locked ones."""
    params = {"cool_down": cool_down, "workspace_id": workspace_id}
    (row,) = conn.execute(_SQL["reset_failed_documents"], params).fetchall()
    return ResetCounts(**row)


def requeue_document(conn: Connection, document_id: UUID) -> bool:
    """Enqueue a failed document again; return False if a reset cannot revive it, or if it is locked."""
    return conn.execute(_SQL["requeue_document"], {"document_id": document_id}).fetchone() == {"queued": True}


def take_from_holder(conn: Connection, job_id: UUID, why: str) -> bool:
    """Take a job from its worker or outside processor, with all attempts left; return False if it has neither.

    The message states the reason in the job's history. The worker notices the loss, and its result is refused.
    """
    params = {"id": job_id, "category": "timeout", "message": why}
    return conn.execute(_SQL["take_from_holder"], params).fetchone() is not None


def is_pending(conn: Connection, job_id: UUID) -> bool:
    """Return whether a job is pending."""
    return conn.execute(_SQL["is_pending"], {"id": job_id}).fetchone() == {"pending": True}
