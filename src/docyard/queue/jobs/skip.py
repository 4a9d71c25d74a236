"""Leaving a model: one that is away is passed by after a while, one that is no longer chosen at once."""

from __future__ import annotations

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.jobs", "skip.sql")


def pass_by(conn: Connection, *, pool: str, longest: float, most: int) -> int:
    """Let documents that have waited longer go on in that pool without the model; gives how many."""
    row = conn.execute(_SQL["pass_by"], {"pool": pool, "longest": longest, "most": most}).fetchone()
    return int(row["jobs"]) if row else 0


def leave_pool(conn: Connection, pool: str, *, to: str) -> int:
    """Let documents that wait in one pool, but are not run there, wait in another; gives how many."""
    row = conn.execute(_SQL["leave_pool"], {"pool": pool, "to": to}).fetchone()
    return int(row["jobs"]) if row else 0
