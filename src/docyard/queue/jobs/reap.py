"""Recovering jobs whose worker was lost or whose deadline passed."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from psycopg.rows import DictRow

from docyard.db import Connection, Queries
from docyard.errors import Retry
from docyard.model.jobs import Lease
from docyard.queue.jobs.claim import lease

_SQL = Queries("docyard.queue.jobs", "reap.sql")
BATCH = 10  # small, so that a mass recovery never holds many rows for long


@dataclass(frozen=True, slots=True)
class Reaped:
    """A job taken over from a worker that will not finish it, to be settled as this failure."""

    lease: Lease
    failure: Retry
    seconds: float


def reap(conn: Connection, reaper_id: UUID) -> list[Reaped]:
    """Take stale jobs over under a new fence; the caller settles them as failed in the same transaction."""
    conn.execute(_SQL["mark_lost"])
    rows = conn.execute(_SQL["take_over"], {"most": BATCH, "reaper": reaper_id})
    return [_reaped(row, reaper_id) for row in rows]


def _reaped(row: DictRow, reaper_id: UUID) -> Reaped:
    failure = _failure(row["held_by"], overran=row["overran"])
    return Reaped(lease(row, reaper_id), failure, row["seconds"])


def _failure(held_by: UUID, *, overran: bool) -> Retry:
    if overran:
        return Retry("timeout", f"It took too long on its worker ({str(held_by)[:8]}); it is taken up again.")
    return Retry("worker_lost", f"Its worker ({str(held_by)[:8]}) stopped; it is taken up again.")
