"""Ending work that nobody wants any more, queued or running."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
    cancel_documents(conn, [document_id])


def cancel_documents(conn: Connection, document_ids: Sequence[UUID]) -> None:
    """The same for several documents."""
    cancel_jobs(conn, list(lock_documents(conn, document_ids)))
    conn.execute(_SQL["discard_letters_of"], {"document_ids": list(document_ids)})


def lock_document(conn: Connection, document_id: UUID) -> set[UUID]:
    """Lock a document after its live jobs and their children; gives the jobs."""
    return lock_documents(conn, [document_id])


def lock_documents(conn: Connection, document_ids: Sequence[UUID]) -> set[UUID]:
    """Lock documents after all their live jobs and those jobs' children; gives the jobs."""
    given = {"document_ids": list(document_ids)}

    def live() -> list[UUID]:
        return [row["id"] for row in conn.execute(_SQL["jobs_of_documents"], given)]

    def lock() -> set[UUID]:
        families = _lock_families(conn, live())
        conn.execute(_SQL["lock_documents"], given)
        return families

    return _settled(conn, lock, lambda: _families(conn, live()))


@dataclass(frozen=True, slots=True)
class LiveJob:
    """A live job: its document where it is a step of the road, and what it was told."""

    id: UUID
    document_id: UUID | None
    payload: Mapping[str, object]


def live_jobs(conn: Connection, ids: Sequence[UUID]) -> list[LiveJob]:
    """Those of these jobs that have not ended."""
    return [LiveJob(**row) for row in conn.execute(_SQL["live_jobs"], {"ids": list(ids)})]


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
