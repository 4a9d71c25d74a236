"""Tiers, pools, workers and documents as operators see them: on the page, in metrics and in commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.rows import DictRow

from docyard.db import Connection, Queries
from docyard.queue.monitor.samples import Depth

_SQL = Queries("docyard.queue.monitor", "status.sql")
STUCK_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class TierStatus:
    """A tier: what it is promised, what waits in it, and what it gets."""

    tier: int
    name: str
    share: float
    objective_seconds: int
    paused: bool
    pending: int = 0
    running: int = 0
    oldest_wait: float = 0.0
    actual_share: float | None = None  # of the claims in the last ten minutes; None when there were none
    in_time: float | None = None  # of the first claims in the last hour, those within the objective


@dataclass(frozen=True, slots=True)
class PoolStatus:
    """A pool: what waits and runs in it, and what holds it back."""

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
    """A worker and when it was last heard of."""

    id: UUID
    host: str
    pid: int
    pools: list[str]
    slots: int
    state: str
    rejected: int
    started_at: datetime
    silent_seconds: float
    running: int


@dataclass(frozen=True, slots=True)
class HeldWorkspace:
    """A workspace that somebody, or its own failures, holds back."""

    name: str
    paused: bool
    max_running: int | None
    retries_spent: int | None
    retries_most: int | None
    retries_from: datetime | None


@dataclass(frozen=True, slots=True)
class StuckDocument:
    """A document that should have ended long ago."""

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
    """A document that failed, and why."""

    id: UUID
    name: str
    category: str | None
    reason: str
    completed_at: datetime


def tiers(conn: Connection, depth: Sequence[Depth]) -> list[TierStatus]:
    """Every tier, with what was counted in it."""
    rows = conn.execute(_SQL["tiers"])
    return [_tier(row, [line for line in depth if line.tier == row["tier"]]) for row in rows]


def _tier(row: DictRow, here: Sequence[Depth]) -> TierStatus:
    return TierStatus(
        **row,
        pending=sum(line.pending for line in here),
        running=sum(line.running for line in here),
        oldest_wait=max((line.oldest or 0.0 for line in here), default=0.0),
    )


def pools(conn: Connection, depth: Sequence[Depth]) -> list[PoolStatus]:
    """Every pool, with what was counted in it."""
    rows = conn.execute(_SQL["pools"])
    return [_pool(row, [line for line in depth if line.pool == row["name"]]) for row in rows]


def _pool(row: DictRow, here: Sequence[Depth]) -> PoolStatus:
    return PoolStatus(
        **row,
        pending=sum(line.pending for line in here),
        scheduled=sum(line.scheduled for line in here),
        running=sum(line.running for line in here),
    )


def running_jobs(conn: Connection) -> dict[str, int]:
    """How many jobs run in each pool now; there are never more than the workers have slots."""
    return {row["pool"]: row["jobs"] for row in conn.execute(_SQL["running"])}


def workers(conn: Connection) -> list[WorkerStatus]:
    """The workers that live or were heard of in the last hour."""
    return [WorkerStatus(**row) for row in conn.execute(_SQL["workers"])]


def worker_states(conn: Connection) -> dict[str, int]:
    """How many workers are in each state; `silent` ones live but were not heard of within their lease."""
    states = dict.fromkeys(("alive", "draining", "silent", "stopped", "lost"), 0)
    return states | {row["state"]: row["workers"] for row in conn.execute(_SQL["worker_states"])}


def work_waits(conn: Connection) -> bool:
    """Whether anything waits to be claimed."""
    return conn.execute(_SQL["work_waits"]).fetchone() == {"waits": True}


def held_workspaces(conn: Connection) -> list[HeldWorkspace]:
    """Workspaces that are held back."""
    return [HeldWorkspace(**row) for row in conn.execute(_SQL["held_workspaces"])]


def stuck_documents(
    conn: Connection, *, seconds: float = STUCK_SECONDS, most: int = 100
) -> list[StuckDocument]:
    """Documents that have not ended and that nothing has touched for this long, the oldest first."""
    return _stuck(conn, seconds=seconds, most=most)


def still_stuck(conn: Connection, ids: Sequence[UUID]) -> list[StuckDocument]:
    """Those of the documents that a sample named which have not ended since."""
    return _stuck(conn, ids=list(ids), most=len(ids))


def _stuck(conn: Connection, **given: object) -> list[StuckDocument]:
    rows = conn.execute(_SQL["stuck_documents"], {"seconds": 0.0, "ids": None, **given})
    return [StuckDocument(**row) for row in rows]


def failed_documents(conn: Connection, most: int = 100) -> list[FailedDocument]:
    """Documents that failed, the latest first."""
    return [FailedDocument(**row) for row in conn.execute(_SQL["failed_documents"], {"most": most})]
