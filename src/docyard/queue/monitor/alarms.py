"""Database conditions that slow the queue down: long transactions, old replication slots and dead rows."""

from __future__ import annotations

import psycopg

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.monitor", "alarms.sql")
MAX_TRANSACTION_SECONDS = 300.0
MAX_SLOT_AGE = 300_000  # transactions; five minutes at 1,000 per second
MAX_DEAD_ROWS = 50_000  # scanning fewer rows takes no noticeable time
MAX_DEAD_RATIO = 10


def describe_vacuum_blockers(conn: Connection) -> list[str]:
    """Return descriptions of transactions and slots that have long kept vacuum from removing dead rows."""
    params = {"seconds": MAX_TRANSACTION_SECONDS, "transactions": MAX_SLOT_AGE}
    return [holder for query in _HOLDER_QUERIES for holder in _find_holders(conn, query, params)]


def count_dead_rows(conn: Connection) -> tuple[int, int, bool]:
    """Return the numbers of live and dead rows of the table jobs, and whether too many rows are dead."""
    row = conn.execute(_SQL["count_dead_rows"]).fetchone() or {"live": 0, "dead": 0}
    too_many = row["dead"] > MAX_DEAD_ROWS and row["dead"] > MAX_DEAD_RATIO * row["live"]
    return row["live"], row["dead"], too_many


_HOLDER_QUERIES = ("held_transactions", "held_prepared", "held_slots")


def _find_holders(conn: Connection, query: str, params: dict[str, float]) -> list[str]:
    try:
        with conn.transaction():
            rows = conn.execute(_SQL[query], params).fetchall()
    except psycopg.errors.InsufficientPrivilege:
        return []  # some hosting providers restrict these views
    return [row["holder"] + (f" since {row['since']} UTC" if row["since"] else "") for row in rows]
