"""Recorded events as values, and functions that install the recorder and read its tables."""

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
_FETCH_SIZE = 5000


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The transactions that were visible to a statement."""

    oldest_open: int
    first_unborn: int
    open: frozenset[int] = frozenset()

    def sees(self, xact: int) -> bool:
        """Return whether this committed transaction was visible."""
        return xact < self.oldest_open or (xact < self.first_unborn and xact not in self.open)

    @classmethod
    def parse(cls, text: str) -> Snapshot:
        """Parse a pg_snapshot, such as 10:20:10,14."""
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
        """The sort key of the job in its lane; the smallest is served first."""
        return (self.priority, self.arrived_at, self.job)

    @property
    def is_claim(self) -> bool:
        """Whether a worker claimed the job; taking over a running or waiting job is not a claim."""
        return (
            self.source == "jobs"
            and self.after is not None
            and self.after.state == "running"
            and (self.before is None or self.before.state not in ("running", "waiting"))
        )


@dataclass(frozen=True, slots=True)
class Effect:
    """A side effect of a job in the transaction that ended it."""

    job: UUID
    fence: int
    worker: UUID


def install_recorder(conn: Connection) -> None:
    """Install the triggers that record every transition."""
    conn.execute(_RECORDER.read_bytes())


def read_events(database: Database) -> Iterator[Event]:
    """Yield all events in the order in which they were recorded."""
    lanes: dict[Lane, Lane] = {}
    with database.transaction() as conn, conn.cursor(name="events") as cursor:
        cursor.itersize = _FETCH_SIZE
        cursor.execute("SELECT *, xact::text AS xact_number FROM chaos_events ORDER BY id")
        for row in cursor:
            lane = Lane(row["pool"], row["tier"], row["workspace"])
            yield _make_event(row, lanes.setdefault(lane, lane))


def read_effects(conn: Connection) -> list[Effect]:
    """Return all effects."""
    return [Effect(**row) for row in conn.execute("SELECT job, fence, worker FROM chaos_effects")]


def read_locked(conn: Connection) -> set[tuple[int, UUID]]:
    """Return pairs of a claim's transaction and a locked job that the claim skipped."""
    rows = conn.execute("SELECT xact::text AS xact, job FROM chaos_locked")
    return {(int(row["xact"]), row["job"]) for row in rows}


def _make_event(row: DictRow, lane: Lane) -> Event:
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
        before=_make_before(row),
        after=_make_after(row),
        max_attempts=row["max_attempts"] or 0,
        seen=Snapshot.parse(row["seen"]) if row["seen"] else None,
    )


def _make_before(row: dict[str, Any]) -> Row | None:
    if row["old_state"] is None:
        return None
    return Row(row["old_state"], row["old_fence"], row["old_attempts"], row["old_worker"], row["old_failures"] or 0)


def _make_after(row: dict[str, Any]) -> Row | None:
    if row["state"] is None:
        return None
    names = ("state", "fence", "attempts", "worker", "failures", "category", "stamped_at", "run_at")
    return Row(*(row[name] for name in names))
