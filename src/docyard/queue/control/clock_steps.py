"""Steps of the database's clock, found by comparing it with this host's clock."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from docyard import clock
from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.control", "clock_steps.sql")
TOLERANCE_SECONDS = 5.0  # a smaller step delays or hastens nothing by more than this
_MAX_SLEW = 0.001  # seconds per second; time synchronisation adjusts clocks by at most half of it
RETENTION_DAYS = 90
_RECENT_SECONDS = 86_400.0
_MAX_AHEAD = 3600.0


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The database's clock, the sum of the steps noticed so far, and this host's clock before and after reading it."""

    sent: float
    received: float
    database: float
    shifted: float
    is_shifted: bool = True  # whether the shifts of these steps are complete


@dataclass(frozen=True, slots=True)
class ClockStep:
    """A step after a moment, in seconds, negative if backwards; times from `since` on were given by the new clock."""

    after: float
    seconds: float
    since: float


@dataclass(frozen=True, slots=True)
class NoticedStep:
    """A step that a worker has noticed, and its age in seconds."""

    noticed_at: datetime
    seconds: float
    worker_id: UUID
    age: float

    @property
    def is_recent(self) -> bool:
        """Whether it was noticed during the last day."""
        return self.age < _RECENT_SECONDS

    @property
    def words(self) -> str:
        """A sentence for operators."""
        direction = "back" if self.seconds < 0 else "forward"
        return (
            f"The database's clock stepped {direction} by {abs(self.seconds):.0f} s"
            f" at {self.noticed_at:%Y-%m-%d %H:%M:%S %Z}; stored times were shifted."
        )


def is_older(age: float, limit: float) -> bool:
    """Return whether an age exceeds a limit. A time in the future is old: it is from before the clock was set back."""
    return age > limit or age < -TOLERANCE_SECONDS


def find_step(last: ClockReading, now: ClockReading) -> ClockStep | None:
    """Return the step between two readings, or None if the database's clock advanced like this host's.

    The step is rounded upwards by the uncertainty of the readings, so that nothing scheduled runs early.
    """
    before = last.database + now.shifted - last.shifted
    gone = now.database - before
    shortest, longest = now.sent - last.received, now.received - last.sent
    if shortest - TOLERANCE_SECONDS <= gone <= longest + TOLERANCE_SECONDS:
        return None
    seconds = gone - shortest
    since = now.database - longest if seconds < 0 else before + longest
    return ClockStep(before, seconds, since)


def move_anchor(anchor: ClockReading, last: ClockReading, now: ClockReading) -> ClockReading:
    """Return the reading with which the next ones are compared, so that small steps add up.

    It is the newest reading, if a slow correction since the last one explains its deviation from the anchor; otherwise
    the anchor, moved by as much as that explains.
    """
    before = anchor.database + now.shifted - anchor.shifted
    deviation = now.database - before - (now.sent + now.received - anchor.sent - anchor.received) / 2
    slewed = _MAX_SLEW * (now.received - last.sent)
    if abs(deviation) <= slewed:
        return now
    return replace(anchor, database=anchor.database + math.copysign(slewed, deviation))


def find_step_before(newest: float | None, now: ClockReading) -> ClockStep | None:
    """Return a step back before the first reading, if the newest heartbeat is in the future.

    Times that are not in the future may be from after the step, so they are not shifted.
    """
    if newest is None or newest <= now.database + TOLERANCE_SECONDS:
        return None
    return ClockStep(newest, now.database - newest, float("-inf"))


def read_clock(conn: Connection) -> ClockReading:
    """Read the database's clock."""
    sent = clock.seconds_since_boot()
    row = conn.execute(_SQL["read_clock"]).fetchone() or {}
    return ClockReading(sent, clock.seconds_since_boot(), **row)


def find_newest_heartbeat(conn: Connection) -> float | None:
    """Return the time of the latest heartbeat of any worker, in seconds since 1970."""
    row = conn.execute(_SQL["newest_heartbeat"]).fetchone() or {}
    newest: float | None = row["newest"]
    return newest


def note_reading(conn: Connection, worker_id: UUID, now: ClockReading) -> None:
    """Record that until this reading the worker has seen the database's clock advance like its own."""
    conn.execute(_SQL["note_reading"], {"id": worker_id, "until": now.database})


def is_refuted(conn: Connection, worker_id: UUID, step: ClockStep) -> bool:
    """Return whether another worker saw no step forward, so that it was this host's clock that stood still."""
    params = {"id": worker_id, "began": step.after, "ended": step.since + TOLERANCE_SECONDS}
    row = conn.execute(_SQL["is_refuted"], params).fetchone()
    return step.seconds > 0 and bool(row and row["refuted"])


def lock_clock(conn: Connection) -> bool:
    """Try to lock the handling of steps for this transaction."""
    row = conn.execute(_SQL["lock_clock"]).fetchone()
    return bool(row and row["locked"])


def get_latest_step(conn: Connection) -> NoticedStep | None:
    """Return the latest step of the database's clock that a worker has noticed."""
    row = conn.execute(_SQL["latest_step"]).fetchone()
    return NoticedStep(**row) if row else None


def is_ahead(conn: Connection) -> bool:
    """Return whether the clock was set forward by more than an hour in the last day, so that ages may be wrong."""
    row = conn.execute(_SQL["is_ahead"], {"seconds": _MAX_AHEAD, "within": _RECENT_SECONDS}).fetchone()
    return bool(row and row["ahead"])


def prune_steps(conn: Connection, days: int = RETENTION_DAYS) -> None:
    """Delete steps noticed more than `days` days ago, except the latest."""
    conn.execute(_SQL["prune_steps"], {"days": days})
