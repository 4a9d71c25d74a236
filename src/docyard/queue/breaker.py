"""The circuit breaker of a pool: when everything fails alike, waiting is better than spending attempts."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg.rows import DictRow

from docyard import log
from docyard.db import Connection, Queries
from docyard.model.failures import category
from docyard.model.jobs import Done, Outcome

_SQL = Queries("docyard.queue", "breaker.sql")
WINDOW_SECONDS = 60.0
FAILURES = 5  # of at least this many, and no fewer than succeeded in the window
PAUSE_SECONDS = 30.0
DOUBLINGS = 5  # 30 s become at most 16 minutes

Settled = Sequence[tuple[Outcome, DictRow]]


def judge(conn: Connection, settled: Settled) -> None:
    """Learn from settled outcomes whether their pools work: close breakers, count trouble, open breakers."""
    proofs = [(o, row) for o, row in settled if isinstance(o, Done) and row["watched"] and _proves(o)]
    troubles = [(o, row) for o, row in settled if o.category and category(o.category).systemic]
    pools = sorted({o.lease.pool for o, _ in [*proofs, *troubles]})
    if len(pools) > 1:
        conn.execute(_SQL["lock_breakers"], {"pools": pools})
    if proofs:
        conn.execute(_SQL["calm"], _seen(proofs))
    if troubles:
        _note_trouble(conn, troubles)


def close_breaker(conn: Connection, pool: str) -> None:
    """Let a pool go on at once, whatever its breaker thinks."""
    conn.execute(_SQL["close_breaker"], {"name": pool})


def _proves(done: Done) -> bool:
    """Whether it shows that the pool works; what ended without something it tried in vain does not."""
    return done.outcome == "done" or (done.outcome == "degraded" and not category(done.category or "").retry)


def _note_trouble(conn: Connection, troubles: Settled) -> None:
    seen = _seen(troubles)
    conn.execute(_SQL["begin_window"], {"pools": seen["pools"], "window": WINDOW_SECONDS})
    counted = {
        "pools": seen["pools"],
        "categories": [o.category for o, _ in troubles],
        "messages": [o.message for o, _ in troubles],
    }
    conn.execute(_SQL["note_trouble"], counted)
    limits = {"failures": FAILURES, "pause": PAUSE_SECONDS, "doublings": DOUBLINGS}
    for row in conn.execute(_SQL["trip"], {**seen, **limits}):
        log.warn("breaker_opened", pool=row["pool"], category=row["category"], until=row["open_until"])


def _seen(settled: Settled) -> dict[str, list[object]]:
    return {"pools": [o.lease.pool for o, _ in settled], "started": [row["started_at"] for _, row in settled]}
