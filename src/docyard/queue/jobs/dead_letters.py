"""Dead letters: jobs that are not retried automatically, kept with the reason and every attempt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.errors import NotFound
from docyard.model.jobs import DeadLetter

_SQL = Queries("docyard.queue.jobs", "dead_letters.sql")


@dataclass(frozen=True, slots=True)
class FailureCause:
    """Dead letters with the same fingerprint: their number, one message, and the time of the latest."""

    fingerprint: str
    category: str
    stage: str
    letters: int
    example: str
    latest: datetime


def find_dead_letters(
    conn: Connection, *, category: str | None = None, cause: str | None = None, limit: int = 100
) -> list[DeadLetter]:
    """Return the newest dead letters, optionally of one category or cause (a fingerprint or its prefix)."""
    return _find_letters(conn, category=category, cause=cause, limit=limit)


def find_dead_letter_ids(
    conn: Connection, *, category: str | None = None, cause: str | None = None, ids: Sequence[UUID] | None = None
) -> list[UUID]:
    """Return the ids of all dead letters, newest first, optionally of one category or cause, or among `ids`."""
    params = {"category": category, "cause": cause, "ids": None if ids is None else list(ids)}
    rows = conn.execute(_SQL["find_dead_letter_ids"], params)
    return [row["id"] for row in rows]


def find_letters_of_document(conn: Connection, document_id: UUID) -> list[DeadLetter]:
    """Return all dead letters of one document, newest first."""
    return _find_letters(conn, document_id=document_id, limit=None)


def get_dead_letters(conn: Connection, ids: Sequence[UUID]) -> list[DeadLetter]:
    """Return the dead letters with these ids that still exist, newest first."""
    return _find_letters(conn, ids=list(ids), limit=len(ids))


def get_dead_letter(conn: Connection, letter_id: UUID) -> DeadLetter:
    """Return one dead letter; raise NotFound if it does not exist."""
    found = get_dead_letters(conn, [letter_id])
    if not found:
        raise NotFound("There is no such dead letter.")
    return found[0]


def find_causes(conn: Connection, limit: int = 50) -> list[FailureCause]:
    """Return the causes of dead letters, most frequent first."""
    return [FailureCause(**row) for row in conn.execute(_SQL["find_causes"], {"limit": limit, "fingerprint": None})]


def get_cause(conn: Connection, fingerprint: str) -> FailureCause | None:
    """Return the cause with this fingerprint, or None if it has no dead letter."""
    row = conn.execute(_SQL["find_causes"], {"limit": 1, "fingerprint": fingerprint}).fetchone()
    return FailureCause(**row) if row else None


def discard(conn: Connection, ids: Sequence[UUID]) -> list[UUID]:
    """Move dead letters to the history as discarded; return the ids of those that existed."""
    return [row["id"] for row in conn.execute(_SQL["discard"], {"ids": list(ids)})]


def discard_superseded(conn: Connection, document_ids: Sequence[UUID], job_type: str) -> None:
    """Discard the dead letters of documents from one type of job, whose work a later job has done or will do.

    Locked ones are skipped: their replay may wait for the later job, so waiting for them would be a deadlock.
    """
    params = {"document_ids": list(document_ids), "type": job_type}
    superseded = [row["id"] for row in conn.execute(_SQL["lock_superseded"], params)]
    if superseded:
        discard(conn, superseded)


def replay(conn: Connection, ids: Sequence[UUID]) -> list[tuple[UUID, UUID | None]]:
    """Enqueue dead letters again unless a live job has their dedupe key; return each job and its document.

    The document is None unless the job runs the document's pipeline.
    """
    return [(row["id"], row["document_id"]) for row in conn.execute(_SQL["replay"], {"ids": list(ids)})]


def _find_letters(conn: Connection, **filters: object) -> list[DeadLetter]:
    defaults = {"category": None, "cause": None, "ids": None, "document_id": None, "limit": 100}
    rows = conn.execute(_SQL["dead_letters"], {**defaults, **filters})
    return [DeadLetter(**{**row, "failure_history": tuple(row["failure_history"])}) for row in rows]
