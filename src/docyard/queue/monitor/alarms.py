"""Database conditions that slow the queue down: long transactions and dead rows."""

from __future__ import annotations

import psycopg

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.monitor", "alarms.sql")
HELD_SECONDS = 300.0
HELD_TRANSACTIONS = 300_000  # as many as in five minutes at 1,000 per second
DEAD_ROWS = 50_000  # scanning fewer takes no noticeable time
DEAD_PER_LIVE = 10


def held_xmin(conn: Connection) -> list[str]:
    """Describe the transactions and replication slots that have long kept vacuum from removing dead rows."""
    params = {"seconds": HELD_SECONDS, "transactions": HELD_TRANSACTIONS}
    return [holder for query in _HOLDER_QUERIES for holder in _find_holders(conn, query, params)]


def dead_rows(conn: Connection) -> tuple[int, int, bool]:
    """Return the live and dead rows of the table jobs, and whether the dead ones are far too many."""
    row = conn.execute(_SQL["dead_rows"]).fetchone() or {"live": 0, "dead": 0}
    too_many = row["dead"] > DEAD_ROWS and row["dead"] > DEAD_PER_LIVE * row["live"]
    return row["live"], row["dead"], too_many


_HOLDER_QUERIES = ("held_transactions", "held_prepared", "held_slots")


def _find_holders(conn: Connection, query: str, params: dict[str, float]) -> list[str]:
    try:
        with conn.transaction():
            rows = conn.execute(_SQL[query], params).fetchall()
    except psycopg.errors.InsufficientPrivilege:
        return []  # some hosting providers restrict these views
    return [row["holder"] + (f" since {row['since']} UTC" if row["since"] else "") for row in rows]
