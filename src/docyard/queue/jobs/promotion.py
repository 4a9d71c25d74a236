"""Promotion of scheduled jobs that are due."""

from __future__ import annotations

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.jobs", "promotion.sql")


def promote_due(conn: Connection) -> tuple[int, float | None]:
    """Make up to 1,000 due jobs pending; return their number and the seconds until another is due.

    The second value is None if no job is scheduled for later.
    """
    row = conn.execute(_SQL["promote_due"]).fetchone()
    return (row["promoted"], row["next_in"]) if row else (0, None)
