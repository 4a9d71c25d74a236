"""Recovery of jobs whose worker was lost or whose deadline passed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from psycopg.rows import DictRow

from docyard.db import Connection, Queries
from docyard.errors import Retry, Wait
from docyard.model.failures import LOCKED
from docyard.model.jobs import Lease
from docyard.queue.jobs.claims import make_lease

_SQL = Queries("docyard.queue.jobs", "reaper.sql")
BATCH_SIZE = 10  # small, so that recovering many jobs does not lock many rows for long


@dataclass(frozen=True, slots=True)
class ReapedJob:
    """A job leased to the reaper, the failure to settle it with, and how many seconds it ran."""

    lease: Lease
    failure: Retry | Wait
    seconds: float


def reap(conn: Connection, reaper_id: UUID) -> list[ReapedJob]:
    """Mark lost workers and lease stale jobs to the reaper; the caller settles them in this transaction."""
    conn.execute(_SQL["mark_lost"])
    rows = conn.execute(_SQL["take_over"], {"limit": BATCH_SIZE, "reaper": reaper_id})
    return [_make_reaped(row, reaper_id) for row in rows]


def _make_reaped(row: DictRow, reaper_id: UUID) -> ReapedJob:
    failure = _make_failure(row["previous_worker"], overdue=row["overdue"], kept=row["kept"])
    lease = replace(make_lease(row, reaper_id), taken_from=row["previous_worker"])
    return ReapedJob(lease, failure, row["seconds"])


def _make_failure(worker_id: UUID, *, overdue: bool, kept: bool) -> Retry | Wait:
    if kept:  # a worker returns its leases before it signs off, except those of locked jobs
        return Wait(LOCKED, f"Worker {str(worker_id)[:8]} stopped before it could return the job to the queue.", 0.0)
    if overdue:
        return Retry("timeout", f"Worker {str(worker_id)[:8]} did not finish the job before its deadline.")
    return Retry("worker_lost", f"Worker {str(worker_id)[:8]} stopped or lost contact while it ran the job.")
