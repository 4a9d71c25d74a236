"""The circuit breaker of a pool, which stops the pool when its jobs fail for a common cause."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg.rows import DictRow

from docyard.db import Connection, Queries
from docyard.model.failures import get_category
from docyard.model.jobs import Completion, Outcome

_SQL = Queries("docyard.queue.control", "breaker.sql")


def record_outcomes(conn: Connection, settled: Sequence[tuple[Outcome, DictRow]]) -> None:
    """Record systemic failures, and successes if the breaker needs them; the next claim evaluates both."""
    signals = [
        (o, row, _is_healthy(o)) for o, row in settled if _is_healthy(o) is False or (_is_healthy(o) and row["watched"])
    ]
    if signals:
        params = {
            "pools": [o.lease.pool for o, _, _ in signals],
            "good": [healthy for _, _, healthy in signals],
            "started": [row["started_at"] for _, row, _ in signals],
            "categories": [o.category for o, _, _ in signals],
            "messages": [o.message for o, _, _ in signals],
        }
        conn.execute(_SQL["record_outcomes"], params)


def close_breaker(conn: Connection, pool: str) -> None:
    """Close the breaker of a pool, so that its jobs start again immediately."""
    conn.execute(_SQL["close_breaker"], {"name": pool})


def _is_healthy(outcome: Outcome) -> bool | None:
    """Return False for a systemic failure, True for a success, and None if the outcome indicates neither."""
    if outcome.category and get_category(outcome.category).systemic:
        return False
    if isinstance(outcome, Completion):
        exhausted = outcome.outcome == "degraded" and get_category(outcome.category or "").retry
        return None if exhausted or outcome.outcome == "cancelled" else True
    return None
