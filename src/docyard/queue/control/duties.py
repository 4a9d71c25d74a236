"""Which duties of upkeep are due for the whole fleet, who does one now, and how it went."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.control", "duties.sql")
_LONGEST_ERROR = 2000


@dataclass(frozen=True, slots=True)
class DutyLine:
    """One duty as an operator sees it."""

    duty: str
    began_at: datetime | None
    seconds: float
    said: str | None
    error: str | None
    failed_at: datetime | None
    age: float


def duty_ages(conn: Connection) -> tuple[dict[str, float], float]:
    """Seconds since each duty began anywhere, and until the next scheduled job is due."""
    rows = conn.execute(_SQL["duty_ages"]).fetchall()
    return {row["duty"]: row["age"] for row in rows if row["duty"]}, rows[0]["next_in"]


def begin_duty(conn: Connection, duty: str, seconds: float) -> bool:
    """Take a duty on until this transaction ends; False when another has it, or did it within the seconds."""
    if not _ours(conn, duty):
        return False
    return conn.execute(_SQL["begin_duty"], {"duty": duty, "seconds": seconds}).fetchone() is not None


def end_duty(conn: Connection, duty: str, took: float, said: str | None) -> None:
    """Note that a duty was done, in the transaction that did it."""
    conn.execute(_SQL["end_duty"], {"duty": duty, "took": took, "said": said})


def fail_duty(conn: Connection, duty: str, took: float, error: str) -> None:
    """Note that a duty failed, after its transaction was rolled back."""
    # Whoever has taken it on meanwhile will say how it stands, and must not be waited for.
    if _ours(conn, duty):
        conn.execute(_SQL["fail_duty"], {"duty": duty, "took": took, "error": error[:_LONGEST_ERROR]})


def duty_lines(conn: Connection) -> list[DutyLine]:
    """Every duty that was ever begun."""
    return [DutyLine(**row) for row in conn.execute(_SQL["duty_lines"])]


def _ours(conn: Connection, duty: str) -> bool:
    row = conn.execute(_SQL["lock_duty"], {"duty": duty}).fetchone()
    return bool(row and row["ours"])
