"""Status of tiers, pools, workers, workspaces and documents, for pages, metrics and commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.rows import DictRow

from docyard.db import Connection, Queries
from docyard.queue.control.clock_steps import is_older
from docyard.queue.monitor.samples import QueueDepth

_SQL = Queries("docyard.queue.monitor", "status.sql")
_DOCUMENT_STATUSES = ("pending", "processing", "completed", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class TierStatus:
    """A tier with its guaranteed share, its jobs, and the share it received."""

    tier: int
    name: str
    share: float
    objective_seconds: int
    paused: bool
    pending: int = 0
    running: int = 0
    oldest_wait: float = 0.0
    actual_share: float | None = None  # share of the claims in the last ten minutes; None if there were none
    in_time: float | None = None  # share of first claims in the last hour that met the objective


@dataclass(frozen=True, slots=True)
class PoolStatus:
    """A pool with its limits, circuit breaker and jobs."""

    name: str
    resource: str
    paused: bool
    max_running: int | None
    rate_per_second: float | None
    breaker: str
    breaker_until: datetime | None
    breaker_category: str | None
    breaker_message: str | None
    pending: int = 0
    scheduled: int = 0
    running: int = 0


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """A worker with its state, and the seconds since its last heartbeat and its last round of the main loop."""

    id: UUID
    host: str
    pid: int
    pools: list[str]
    slots: int
    state: str
    rejected: int
    started_at: datetime
    lease_seconds: float
    silent_seconds: float
    running: int
    idle_seconds: float = 0.0

    @property
    def is_silent(self) -> bool:
        """Whether the worker has not stopped, but its last heartbeat is older than its lease."""
        return self.state in ("alive", "draining") and is_older(self.silent_seconds, self.lease_seconds)

    @property
    def is_alive(self) -> bool:
        """Whether the worker claims jobs."""
        return self.state == "alive" and not self.is_silent


@dataclass(frozen=True, slots=True)
class LimitedWorkspace:
    """A workspace that is paused, limited or out of retries."""

    name: str
    paused: bool
    max_running: int | None
    retries_spent: int | None
    retries_most: int | None
    retries_from: datetime | None


@dataclass(frozen=True, slots=True)
class StuckDocument:
    """A document without progress for a long time, with the state of its job."""

    id: UUID
    name: str
    workspace: str
    status: str
    stage: str | None
    reason: str | None
    job: str | None
    attempts: int | None
    worker: UUID | None
    silent_seconds: float


@dataclass(frozen=True, slots=True)
class FailedDocument:
    """A failed document with the reason."""

    id: UUID
    name: str
    category: str | None
    reason: str
    completed_at: datetime


def list_tiers(conn: Connection, depth: Sequence[QueueDepth]) -> list[TierStatus]:
    """Return every tier, with its jobs as counted in `depth`."""
    rows = conn.execute(_SQL["list_tiers"])
    return [_make_tier(row, [line for line in depth if line.tier == row["tier"]]) for row in rows]


def _make_tier(row: DictRow, depth: Sequence[QueueDepth]) -> TierStatus:
    return TierStatus(
        **row,
        pending=sum(line.pending for line in depth),
        running=sum(line.running for line in depth),
        oldest_wait=max((line.oldest or 0.0 for line in depth), default=0.0),
    )


def list_pools(conn: Connection, depth: Sequence[QueueDepth]) -> list[PoolStatus]:
    """Return every pool, with its jobs as counted in `depth`."""
    rows = conn.execute(_SQL["list_pools"])
    return [_make_pool(row, [line for line in depth if line.pool == row["name"]]) for row in rows]


def _make_pool(row: DictRow, depth: Sequence[QueueDepth]) -> PoolStatus:
    return PoolStatus(
        **row,
        pending=sum(line.pending for line in depth),
        scheduled=sum(line.scheduled for line in depth),
        running=sum(line.running for line in depth),
    )


def count_running_jobs(conn: Connection) -> dict[str, int]:
    """Return the number of running jobs by pool; they are few, as each one occupies a slot of a worker."""
    return {row["pool"]: row["jobs"] for row in conn.execute(_SQL["running"])}


def list_workers(conn: Connection) -> list[WorkerStatus]:
    """Return the workers that are alive or draining, or sent a heartbeat in the last hour, at most 100."""
    return [WorkerStatus(**row) for row in conn.execute(_SQL["list_workers"])]


def count_worker_states(conn: Connection) -> dict[str, int]:
    """Return the number of workers by state; the heartbeat of a `silent` worker is older than its lease."""
    states = dict.fromkeys(("alive", "draining", "silent", "stopped", "lost"), 0)
    return states | {row["state"]: row["workers"] for row in conn.execute(_SQL["count_worker_states"])}


def find_work(conn: Connection) -> tuple[bool, bool]:
    """Return whether any job is pending, and whether any is left for workers: pending, running, or due."""
    row = conn.execute(_SQL["find_work"]).fetchone() or {}
    return row["pending"], row["left"]


def list_limited_workspaces(conn: Connection) -> list[LimitedWorkspace]:
    """Return the workspaces that are paused, limited or out of retries, at most 100."""
    return [LimitedWorkspace(**row) for row in conn.execute(_SQL["list_limited_workspaces"])]


def find_stuck_documents(
    conn: Connection, *, seconds: float | None = None, ids: Sequence[UUID] | None = None, limit: int = 100
) -> list[StuckDocument]:
    """Return documents stuck for `seconds`, by default an hour, oldest update first, optionally only these ids."""
    params = {"seconds": seconds, "ids": None if ids is None else list(ids), "limit": limit}
    return [StuckDocument(**row) for row in conn.execute(_SQL["find_stuck_documents"], params)]


def count_documents(conn: Connection) -> dict[str, int]:
    """Return the number of documents by status, in the order of their lives, without statuses that none has."""
    counts = {row["status"]: row["documents"] for row in conn.execute(_SQL["count_documents"])}
    return {status: counts[status] for status in _DOCUMENT_STATUSES if status in counts}


def count_documents_waiting_for_retry(conn: Connection) -> int:
    """Return the number of pending documents that wait for their next attempt after a failed one."""
    row = conn.execute(_SQL["count_documents_waiting_for_retry"]).fetchone()
    return int(row["documents"]) if row else 0


def find_failed_documents(conn: Connection, limit: int = 100) -> list[FailedDocument]:
    """Return failed documents, latest first."""
    return [FailedDocument(**row) for row in conn.execute(_SQL["find_failed_documents"], {"limit": limit})]
