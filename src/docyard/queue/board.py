"""What an operator sees of the queue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue", "board.sql")


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
        workers=[WorkerLine(**row) for row in conn.execute(_SQL["workers"])],
        **totals,
    )
