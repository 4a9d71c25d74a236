"""The condition the queue is in now, as far as small tables tell it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.monitor", "condition.sql")


@dataclass(frozen=True, slots=True)
class TierRule:
    """A tier, its guaranteed share and its objective."""

    tier: int
    name: str
    share: float
    objective_seconds: int
    paused: bool


@dataclass(frozen=True, slots=True)
class PoolRule:
    """A pool and what holds it back."""

    name: str
    resource: str
    paused: bool
    max_running: int | None
    rate_per_second: float | None
    breaker: str
    breaker_until: datetime | None
    breaker_category: str | None
    breaker_message: str | None


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
class NamedDocument:
    """A document that a sample named, and where it stands."""

    id: UUID
    name: str
    workspace: str
    status: str
    stage: str | None
    reason: str | None
    job: str | None
    attempts: int | None
    silent_seconds: float


def tier_rules(conn: Connection) -> list[TierRule]:
    """Every tier."""
    return [TierRule(**row) for row in conn.execute(_SQL["tier_rules"])]


def pool_rules(conn: Connection) -> list[PoolRule]:
    """Every pool."""
    return [PoolRule(**row) for row in conn.execute(_SQL["pool_rules"])]


def worker_states(conn: Connection) -> dict[str, int]:
    """How many workers are in each state; `silent` ones live but were not heard of within their lease."""
    states = dict.fromkeys(("alive", "draining", "silent", "stopped", "lost"), 0)
    return states | {row["state"]: row["workers"] for row in conn.execute(_SQL["worker_states"])}


def running_jobs(conn: Connection) -> dict[str, int]:
    """How many jobs run in each pool."""
    return {row["pool"]: row["jobs"] for row in conn.execute(_SQL["running"])}


def work_waits(conn: Connection) -> bool:
    """Whether anything waits to be claimed."""
    return conn.execute(_SQL["work_waits"]).fetchone() == {"waits": True}


def held_workspaces(conn: Connection) -> list[HeldWorkspace]:
    """Workspaces that are held back."""
    return [HeldWorkspace(**row) for row in conn.execute(_SQL["held_workspaces"])]


def named_documents(conn: Connection, ids: Sequence[UUID]) -> list[NamedDocument]:
    """These documents, but for those that have ended."""
    return [NamedDocument(**row) for row in conn.execute(_SQL["named_documents"], {"ids": list(ids)})]
