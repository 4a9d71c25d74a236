"""Jobs that leave the pool of an LLM connection because the connection is unavailable or no longer used."""

from __future__ import annotations

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.jobs", "llm_fallback.sql")


def skip_unavailable_llm(conn: Connection, *, pool: str, longest: float, limit: int) -> int:
    """Move document jobs to `pool` if they waited over `longest` seconds for an unavailable LLM.

    Move at most `limit` jobs, and return their number.
    """
    row = conn.execute(_SQL["skip_unavailable_llm"], {"pool": pool, "longest": longest, "limit": limit}).fetchone()
    return int(row["jobs"]) if row else 0


def move_waiting_jobs(conn: Connection, pool: str, *, to: str) -> int:
    """Move document jobs that are not running from `pool` to `to`; return their number."""
    row = conn.execute(_SQL["move_waiting_jobs"], {"pool": pool, "to": to}).fetchone()
    return int(row["jobs"]) if row else 0
