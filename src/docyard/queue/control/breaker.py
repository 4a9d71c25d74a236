"""The circuit breaker of a pool: when everything fails alike, waiting is better than spending attempts."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg.rows import DictRow

from docyard.db import Connection, Queries
from docyard.model.failures import category
from docyard.model.jobs import Done, Outcome

_SQL = Queries("docyard.queue.control", "breaker.sql")


def mark(conn: Connection, settled: Sequence[tuple[Outcome, DictRow]]) -> None:
    """Leave word of what settled jobs show about their pools, for the next claim to judge by."""
    seen = [(o, row, _works(o)) for o, row in settled if _works(o) is False or (_works(o) and row["watched"])]
    if seen:
        given = {
            "pools": [o.lease.pool for o, _, _ in seen],
            "good": [works for _, _, works in seen],
            "started": [row["started_at"] for _, row, _ in seen],
            "categories": [o.category for o, _, _ in seen],
            "messages": [o.message for o, _, _ in seen],
        }
        conn.execute(_SQL["mark"], given)


def close_breaker(conn: Connection, pool: str) -> None:
    """Let a pool go on at once, whatever its breaker thinks."""
    conn.execute(_SQL["close_breaker"], {"name": pool})


def _works(outcome: Outcome) -> bool | None:
    """Whether it shows that the pool works; what was given up after vain tries shows neither."""
    if outcome.category and category(outcome.category).systemic:
        return False
    if isinstance(outcome, Done):
        in_vain = outcome.outcome == "degraded" and category(outcome.category or "").retry
        return None if in_vain or outcome.outcome == "cancelled" else True
    return None
