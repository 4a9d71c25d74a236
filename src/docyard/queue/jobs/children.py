"""Parent jobs, which enqueue children and resume when the last child has ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.errors import Retry
from docyard.model.jobs import Lease, NewJob
from docyard.queue.jobs.claims import make_lease
from docyard.queue.jobs.insertion import enqueue
from docyard.queue.jobs.reaper import BATCH_SIZE, ReapedJob

_SQL = Queries("docyard.queue.jobs", "children.sql")
RECHECK_SECONDS = 5.0  # delay of a job whose requested children all have other parents


def wait_for_children(conn: Connection, lease: Lease, children: Sequence[NewJob], *, seconds: float) -> bool:
    """Enqueue children and let the job wait for them, at most `seconds`; return False if the lease was lost.

    The caller must roll back on False. A live job with a child's dedupe key and no parent is adopted. The
    job runs again when all its children have ended, successfully or not; its lease then contains the number
    of children and of failed children. If the requested children all have other parents, the job runs
    again after `RECHECK_SECONDS`, without children, and may call this function again.
    """
    enqueue(conn, [replace(child, parent_id=lease.job_id) for child in children])
    params = {
        "id": lease.job_id,
        "fence": lease.fence,
        "worker_id": lease.worker_id,
        "workspace_id": lease.workspace_id,
        "dedupe_keys": [child.dedupe_key for child in children if child.dedupe_key is not None],
        "seconds": seconds,
        "recheck_seconds": RECHECK_SECONDS,
    }
    # Children are locked before their parent, as in the settlement of a child.
    conn.execute(_SQL["adopt"], params)
    return conn.execute(_SQL["start_waiting"], params).fetchone() is not None


def wake_parents(conn: Connection, ended: Sequence[tuple[UUID, bool]]) -> None:
    """Count ended children, given as (parent, child failed) pairs; wake parents without live children."""
    if ended:
        params = {"parents": [parent for parent, _ in ended], "failed": [failed for _, failed in ended]}
        conn.execute(_SQL["wake_parents"], params)


def wake_orphans(conn: Connection) -> int:
    """Wake waiting parents that have no children left; return their number."""
    return len(conn.execute(_SQL["wake_orphans"]).fetchall())


def take_over_overdue_parents(conn: Connection, reaper_id: UUID) -> list[ReapedJob]:
    """Lease overdue waiting parents to the reaper; the caller settles them in the same transaction."""
    rows = conn.execute(_SQL["take_over_overdue_parents"], {"limit": BATCH_SIZE, "reaper": reaper_id})
    failure = Retry("timeout", "The jobs that this job waited for did not finish in time.")
    return [ReapedJob(make_lease(row, reaper_id), failure, row["seconds"]) for row in rows]


def count_live_children(conn: Connection, job_id: UUID) -> int:
    """Return how many children of a job have not ended."""
    row = conn.execute(_SQL["count_live_children"], {"job_id": job_id}).fetchone()
    return int(row["live"]) if row else 0
