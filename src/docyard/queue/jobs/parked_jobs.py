"""Parking of jobs whose document this installation cannot fetch, until an outside processor reports an outcome."""

from __future__ import annotations

from docyard.db import Connection, Queries
from docyard.model.jobs import Lease

_SQL = Queries("docyard.queue.jobs", "parked_jobs.sql")


def park_unfetchable(conn: Connection, lease: Lease) -> str:
    """Park a leased job if its document cannot be fetched; return fetchable, parked, exhausted or lost.

    `exhausted` means that outside processors have used up all attempts.
    """
    params = {"id": lease.job_id, "fence": lease.fence, "worker_id": lease.worker_id}
    row = conn.execute(_SQL["park_unfetchable"], params).fetchone()
    return str(row["result"]) if row else "lost"
