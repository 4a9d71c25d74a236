"""What an operator sees of the queue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.monitor", "board.sql")


@dataclass(frozen=True, slots=True)
class TierLine:
    """One tier: its guaranteed share and what waits in it."""

    name: str
    share: float
    pending: int
    running: int
    oldest_wait: float


@dataclass(frozen=True, slots=True)
class WorkerLine:
    """One worker and when it was last heard of."""

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
class PoolLine:
    """One pool: what waits and runs in it, and what holds it back."""

    name: str
    resource: str
    paused: bool
    max_running: int | None
    rate_per_second: float | None
    pending: int
    scheduled: int
    running: int
    breaker: str
    breaker_until: datetime | None


@dataclass(frozen=True, slots=True)
class StuckLine:
    """A document that should have ended long ago."""

    id: UUID
    name: str
    status: str
    stage: str | None
    reason: str | None
    job: str | None
    attempts: int | None
    worker: UUID | None
    silent_seconds: float


@dataclass(frozen=True, slots=True)
class FailedLine:
    """A document that failed, and why."""

    id: UUID
    name: str
    category: str | None
    reason: str
    completed_at: datetime


@dataclass(frozen=True, slots=True)
class Board:
    """The queue at one moment."""

    states: Mapping[str, int]
    tiers: list[TierLine]
    workers: list[WorkerLine]
    dead: int
    finished_last_hour: int


def board(conn: Connection) -> Board:
    """Read the queue's state."""
    totals = conn.execute(_SQL["totals"]).fetchone() or {"dead": 0, "finished_last_hour": 0}
    return Board(
        states={row["state"]: row["jobs"] for row in conn.execute(_SQL["states"])},
        tiers=[TierLine(**row) for row in conn.execute(_SQL["tiers"])],
        workers=worker_lines(conn),
        **totals,
    )


def worker_lines(conn: Connection) -> list[WorkerLine]:
    """The workers that live or were heard of in the last hour."""
    return [WorkerLine(**row) for row in conn.execute(_SQL["workers"])]


def pool_lines(conn: Connection) -> list[PoolLine]:
    """Every pool."""
    return [PoolLine(**row) for row in conn.execute(_SQL["pools"])]


def stuck_lines(conn: Connection, *, seconds: float = 3600.0, most: int = 100) -> list[StuckLine]:
    """Documents that nothing has touched for so long."""
    return [StuckLine(**row) for row in conn.execute(_SQL["stuck"], {"seconds": seconds, "most": most})]


def failed_lines(conn: Connection, most: int = 100) -> list[FailedLine]:
    """Documents that failed, the latest first."""
    return [FailedLine(**row) for row in conn.execute(_SQL["failed"], {"most": most})]
