"""Cancellation of queued and running jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import psycopg

from docyard.db import Connection, Queries
from docyard.queue.jobs.children import wake_parents

_SQL = Queries("docyard.queue.jobs", "cancellation.sql")


def cancel_jobs(conn: Connection, ids: Sequence[UUID]) -> list[tuple[UUID, UUID | None]]:
    """Cancel jobs and their descendants; return each id with the document whose pipeline it ran, or None."""
    family = _lock_until_complete(conn, lambda: _lock_families(conn, ids), lambda: _find_families(conn, ids))
    ended = conn.execute(_SQL["cancel_jobs"], {"ids": list(family)}).fetchall()
    wake_parents(conn, [(row["parent_id"], True) for row in ended if row["parent_id"]])
    return [(row["id"], row["document_id"] if row["type"] == "document" else None) for row in ended]


def cancel_document(conn: Connection, document_id: UUID) -> None:
    """Lock a document, cancel its live jobs, and delete its dead letters."""
    cancel_documents(conn, [document_id])


def cancel_documents(conn: Connection, document_ids: Sequence[UUID]) -> None:
    """Lock documents, cancel their live jobs, and delete their dead letters."""
    cancel_jobs(conn, list(lock_documents(conn, document_ids)))
    conn.execute(_SQL["discard_letters_of"], {"document_ids": list(document_ids)})


def lock_document(conn: Connection, document_id: UUID) -> set[UUID]:
    """Lock a document's live jobs and their descendants, then the document; return the ids of the jobs."""
    return lock_documents(conn, [document_id])


def lock_documents(conn: Connection, document_ids: Sequence[UUID]) -> set[UUID]:
    """Lock the live jobs of documents and those jobs' descendants, then the documents; return the job ids."""
    params = {"document_ids": list(document_ids)}

    def find_live() -> list[UUID]:
        return [row["id"] for row in conn.execute(_SQL["jobs_of_documents"], params)]

    def lock() -> set[UUID]:
        families = _lock_families(conn, find_live())
        conn.execute(_SQL["lock_documents"], params)
        return families

    return _lock_until_complete(conn, lock, lambda: _find_families(conn, find_live()))


@dataclass(frozen=True, slots=True)
class LiveJob:
    """A job that has not ended; `document_id` is set only if the job runs the document's pipeline."""

    id: UUID
    document_id: UUID | None
    payload: Mapping[str, object]


def find_live_jobs(conn: Connection, ids: Sequence[UUID]) -> list[LiveJob]:
    """Return the jobs with these ids that have not ended."""
    return [LiveJob(**row) for row in conn.execute(_SQL["find_live_jobs"], {"ids": list(ids)})]


def _lock_families(conn: Connection, ids: Sequence[UUID]) -> set[UUID]:
    return {row["id"] for row in conn.execute(_SQL["lock_families"], {"ids": list(ids)})}


def _find_families(conn: Connection, ids: Sequence[UUID]) -> set[UUID]:
    return {row["id"] for row in conn.execute(_SQL["families"], {"ids": list(ids)})}


def _lock_until_complete(conn: Connection, lock: Callable[[], set[UUID]], find: Callable[[], set[UUID]]) -> set[UUID]:
    """Repeat `lock` until it covers every job that `find` returns; a failed attempt releases its locks."""
    while True:
        with conn.transaction() as attempt:
            family = lock()
            # `find` takes no locks: locking a job after its document would violate the lock order.
            if find() <= family:
                return family
            raise psycopg.Rollback(attempt)
