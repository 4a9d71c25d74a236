"""Parents that wait for their children: enqueued together, woken when the last child has ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.errors import Retry
from docyard.model.jobs import Lease, NewJob
from docyard.queue.jobs.claim import lease as lease_of
from docyard.queue.jobs.enqueue import enqueue
from docyard.queue.jobs.reap import BATCH, Reaped

_SQL = Queries("docyard.queue.jobs", "children.sql")
LOOK_AGAIN_SECONDS = 5.0


def wait_for_children(conn: Connection, lease: Lease, children: Sequence[NewJob], *, seconds: float) -> bool:
    """Enqueue children and let the job wait for them, at most so long; False means ownership was lost.

    The caller rolls back on False. Work that is live already is adopted rather than done twice. The job runs
    again when all have ended, however they did: its lease then counts them and how many failed. When all of
    the work belongs to another parent, the job runs again soon, with no children, and may ask once more.
    """
    # By key, or two parents that want the same work would wait for each other.
    wanted = sorted(children, key=lambda child: child.dedupe_key or "")
    enqueue(conn, [replace(child, parent_id=lease.job_id) for child in wanted])
    given = {
        "id": lease.job_id,
        "fence": lease.fence,
        "worker_id": lease.worker_id,
        "workspace_id": lease.workspace_id,
        "dedupe_keys": [child.dedupe_key for child in wanted if child.dedupe_key is not None],
        "seconds": seconds,
        "look_again": LOOK_AGAIN_SECONDS,
    }
    # Children before their parent, in the order in which a child's settlement takes its locks.
    conn.execute(_SQL["adopt"], given)
    return conn.execute(_SQL["start_waiting"], given).fetchone() is not None


def wake_parents(conn: Connection, ended: Sequence[tuple[UUID, bool]]) -> None:
    """Count off children of these parents that have ended, and whether each failed."""
    if ended:
        given = {"parents": [parent for parent, _ in ended], "failed": [failed for _, failed in ended]}
        conn.execute(_SQL["wake_parents"], given)


def wake_orphans(conn: Connection) -> int:
    """Let parents go on whose children are gone; gives how many."""
    return len(conn.execute(_SQL["wake_orphans"]).fetchall())


def overdue_parents(conn: Connection, reaper_id: UUID) -> list[Reaped]:
    """Take over parents that waited too long; the caller settles them as failed in the same transaction."""
    rows = conn.execute(_SQL["overdue_parents"], {"most": BATCH, "reaper": reaper_id})
    failure = Retry("timeout", "Its children did not end in time.")
    return [Reaped(lease_of(row, reaper_id), failure, row["seconds"]) for row in rows]


def live_children(conn: Connection, job_id: UUID) -> int:
    """How many children of a job have not ended."""
    row = conn.execute(_SQL["live_children"], {"job_id": job_id}).fetchone()
    return int(row["live"]) if row else 0
