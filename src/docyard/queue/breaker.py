"""The circuit breaker of a pool: when everything fails alike, waiting is better than spending attempts."""

from __future__ import annotations

from collections.abc import Sequence

from docyard import log
from docyard.db import Connection, Queries
from docyard.model.failures import category
from docyard.model.jobs import Failed, Snoozed

_SQL = Queries("docyard.queue", "breaker.sql")
WINDOW_SECONDS = 60.0
FAILURES = 5  # of at least this many, and no fewer than succeeded in the window
PAUSE_SECONDS = 30.0
DOUBLINGS = 5  # 30 s become at most 16 minutes


def note_trouble(conn: Connection, outcomes: Sequence[Failed | Snoozed]) -> None:
    """Count failures that concern the whole pool, and open the breakers that have seen enough of them."""
    shared = [o for o in outcomes if category(o.category).systemic]
    if not shared:
        return
    pools = sorted({o.lease.pool for o in shared})
    conn.execute(_SQL["begin_window"], {"pools": pools, "window": WINDOW_SECONDS})
    counted = {
        "pools": [o.lease.pool for o in shared],
        "categories": [o.category for o in shared],
        "messages": [o.message for o in shared],
    }
    conn.execute(_SQL["note_trouble"], counted)
    limits = {"pools": pools, "failures": FAILURES, "pause": PAUSE_SECONDS, "doublings": DOUBLINGS}
    for row in conn.execute(_SQL["trip"], limits):
        log.warn("breaker_opened", pool=row["pool"], category=row["category"], until=row["open_until"])


def close_breaker(conn: Connection, pool: str) -> None:
    """Let a pool go on at once, whatever its breaker thinks."""
    conn.execute(_SQL["close_breaker"], {"name": pool})
