"""What the recorder wrote down, as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from psycopg.rows import DictRow

from docyard.db import Connection, Database

_RECORDER = Path(__file__).with_name("recorder.sql")
_AT_ONCE = 5000


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Which transactions a statement could see."""

    oldest_open: int
    first_unborn: int
    open: frozenset[int] = frozenset()

    def sees(self, xact: int) -> bool:
        """Whether that transaction, which committed, had committed by then."""
        return xact < self.oldest_open or (xact < self.first_unborn and xact not in self.open)

    @classmethod
    def parse(cls, text: str) -> Snapshot:
        """From PostgreSQL's notation, such as 10:20:10,14."""
        oldest, unborn, still_open = text.split(":")
        return cls(int(oldest), int(unborn), frozenset(map(int, filter(None, still_open.split(",")))))


@dataclass(frozen=True, slots=True)
class Lane:
    """The queue of one workspace in one tier of one pool."""

    pool: str
    tier: int
    workspace: UUID


@dataclass(slots=True)
class Row:
    """A job, a history row or a dead letter, before or after a transition."""

    state: str
    fence: int
    attempts: int
    worker: UUID | None = None
    failures: int = 0
    category: str | None = None
    stamped_at: datetime | None = None
    run_at: datetime | None = None


@dataclass(slots=True)
class Event:
    """One committed insert, update or delete of one row."""

    id: int
    at: datetime
    xact: int
    source: str
    job: UUID
    type: str
    lane: Lane
    priority: int
    arrived_at: datetime
    before: Row | None
    after: Row | None
    max_attempts: int = 3
    seen: Snapshot | None = None

    @property
    def place(self) -> tuple[int, datetime, UUID]:
        """Where the job stands in its lane; the smaller is served first."""
        return (self.priority, self.arrived_at, self.job)

    @property
    def is_claim(self) -> bool:
        """Whether a worker took the job, rather than a reaper, who takes what runs or waits for children."""
        return (
            self.source == "jobs"
            and self.after is not None
            and self.after.state == "running"
            and (self.before is None or self.before.state not in ("running", "waiting"))
        )


@dataclass(frozen=True, slots=True)
class Effect:
    """Something a job did in the transaction that ended it."""

    job: UUID
    fence: int
    worker: UUID


def record_everything(conn: Connection) -> None:
    """Install the recorder; from now on every transition is written down."""
    conn.execute(_RECORDER.read_bytes())


def read_events(database: Database) -> Iterator[Event]:
    """Every event in the order in which they happened to each job."""
    lanes: dict[Lane, Lane] = {}
    with database.transaction() as conn, conn.cursor(name="events") as cursor:
        cursor.itersize = _AT_ONCE
        cursor.execute("SELECT *, xact::text AS xact_number FROM chaos_events ORDER BY id")
        for row in cursor:
            lane = Lane(row["pool"], row["tier"], row["workspace"])
            yield _event(row, lanes.setdefault(lane, lane))


def read_effects(conn: Connection) -> list[Effect]:
    """Every effect."""
    return [Effect(**row) for row in conn.execute("SELECT job, fence, worker FROM chaos_effects")]


def read_locked(conn: Connection) -> set[tuple[int, UUID]]:
    """The claims, by transaction, and the jobs that each left out because somebody had locked them."""
    rows = conn.execute("SELECT xact::text AS xact, job FROM chaos_locked")
    return {(int(row["xact"]), row["job"]) for row in rows}


def _event(row: DictRow, lane: Lane) -> Event:
    return Event(
        id=row["id"],
        at=row["at"],
        xact=int(row["xact_number"]),
        source=row["source"],
        job=row["job"],
        type=row["type"],
        lane=lane,
        priority=row["priority"] or 0,
        arrived_at=row["arrived_at"],
        before=_before(row),
        after=_after(row),
        max_attempts=row["max_attempts"] or 0,
        seen=Snapshot.parse(row["seen"]) if row["seen"] else None,
    )


def _before(row: dict[str, Any]) -> Row | None:
    if row["old_state"] is None:
        return None
    return Row(
        row["old_state"], row["old_fence"], row["old_attempts"], row["old_worker"], row["old_failures"] or 0
    )


def _after(row: dict[str, Any]) -> Row | None:
    if row["state"] is None:
        return None
    names = ("state", "fence", "attempts", "worker", "failures", "category", "stamped_at", "run_at")
    return Row(*(row[name] for name in names))
