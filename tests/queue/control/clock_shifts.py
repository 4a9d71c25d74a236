"""Helpers that shift the times as after a step of the database's clock."""

from __future__ import annotations

from docyard.db import Connection, Database
from docyard.queue import control
from docyard.queue.control import ClockStep
from docyard.worker.clock_watch import _PARTS
from tests.queue.queue_workers import register_worker_committed

HOUR = 3600.0


def shift(database: Database, seconds: float) -> None:
    """Shift the times by a step that was just noticed, 2 seconds after the last reading."""
    with database.transaction() as conn:
        assert control.lock_clock(conn)
        now = control.read_clock(conn)
        step = ClockStep(now.database - seconds - 2, seconds, now.database - 2)
        control.begin_shift(conn, register_worker_committed(database), step, _PARTS)
        control.continue_shifts(conn, _PARTS)


def continue_shift(database: Database) -> dict[str, bool]:
    """Continue the shift; return which parts remain, and whether each made progress."""
    with database.transaction() as conn:
        return {remainder.part: progress for remainder, progress in control.continue_shifts(conn, _PARTS)}


def count_seconds_ahead(conn: Connection, query: str, *params: object) -> list[int]:
    """Return by how many seconds each column of the first row is ahead of the clock."""
    row = conn.execute(query.encode(), params).fetchone()
    now = conn.execute("SELECT clock_timestamp() AS now").fetchone()
    assert row
    assert now
    return [round((value - now["now"]).total_seconds()) for value in row.values()]
