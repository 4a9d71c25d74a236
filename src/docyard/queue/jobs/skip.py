"""Passing by a model that is away: documents wait for it for a while, not for as long as it pleases."""

from __future__ import annotations

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.jobs", "skip.sql")


def pass_by(conn: Connection, *, pool: str, longest: float, most: int) -> int:
    """Let documents that have waited longer go on in that pool without the model; gives how many."""
    row = conn.execute(_SQL["pass_by"], {"pool": pool, "longest": longest, "most": most}).fetchone()
    return int(row["jobs"]) if row else 0
