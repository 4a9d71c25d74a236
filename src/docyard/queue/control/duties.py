"""The shared schedule of upkeep duties: when each last ran on any worker, and with what result."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.control", "duties.sql")
_MAX_ERROR_LENGTH = 2000  # characters


@dataclass(frozen=True, slots=True)
class DutyStatus:
    """The last run of a duty: start, duration, report, error, and seconds since the start."""

    duty: str
    began_at: datetime | None
    seconds: float
    said: str | None
    error: str | None
    failed_at: datetime | None
    age: float


def get_duty_ages(conn: Connection) -> tuple[dict[str, float], float]:
    """Return the seconds since each duty last started, and until the next job is due, at most one day."""
    rows = conn.execute(_SQL["get_duty_ages"]).fetchall()
    return {row["duty"]: row["age"] for row in rows if row["duty"]}, rows[0]["next_in"]


def begin_duty(conn: Connection, duty: str, seconds: float) -> bool:
    """Lock a duty and record its start; return False if it is running or started less than `seconds` ago."""
    if not _try_lock(conn, duty):
        return False
    return conn.execute(_SQL["begin_duty"], {"duty": duty, "seconds": seconds}).fetchone() is not None


def end_duty(conn: Connection, duty: str, took: float, said: str | None) -> None:
    """Record the duration and report of a successful duty, in the transaction that performed it."""
    conn.execute(_SQL["end_duty"], {"duty": duty, "took": took, "said": said})


def fail_duty(conn: Connection, duty: str, took: float, error: str) -> None:
    """Record that a duty failed, after its transaction was rolled back."""
    # If another worker has started the duty meanwhile, it records its own result; do not wait for it.
    if _try_lock(conn, duty):
        conn.execute(_SQL["fail_duty"], {"duty": duty, "took": took, "error": error[:_MAX_ERROR_LENGTH]})


def list_duties(conn: Connection) -> list[DutyStatus]:
    """Return every duty that has run, sorted by name."""
    return [DutyStatus(**row) for row in conn.execute(_SQL["list_duties"])]


def _try_lock(conn: Connection, duty: str) -> bool:
    row = conn.execute(_SQL["lock_duty"], {"duty": duty}).fetchone()
    return bool(row and row["locked"])
