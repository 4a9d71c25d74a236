"""What slows the queue down from outside: transactions nobody ends, dead rows nobody removes."""

from __future__ import annotations

import psycopg

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.monitor", "alarms.sql")
HELD_SECONDS = 300.0
HELD_TRANSACTIONS = 300_000  # five minutes at a thousand a second
DEAD_ROWS = 50_000  # below this a scan of all of them is not felt
DEAD_PER_LIVE = 10


def held_xmin(conn: Connection) -> list[str]:
    """Whoever keeps vacuum from removing dead rows for minutes: transactions, prepared ones, slots."""
    given = {"seconds": HELD_SECONDS, "transactions": HELD_TRANSACTIONS}
    return [words for query in _HOLDERS for words in _readable(conn, query, given)]


def dead_rows(conn: Connection) -> tuple[int, int, bool]:
    """Live and dead rows of the live jobs, and whether there are far too many dead ones."""
    row = conn.execute(_SQL["dead_rows"]).fetchone() or {"live": 0, "dead": 0}
    too_many = row["dead"] > DEAD_ROWS and row["dead"] > DEAD_PER_LIVE * row["live"]
    return row["live"], row["dead"], too_many


_HOLDERS = ("held_transactions", "held_prepared", "held_slots")


def _readable(conn: Connection, query: str, given: dict[str, float]) -> list[str]:
    try:
        with conn.transaction():
            rows = conn.execute(_SQL[query], given).fetchall()
    except psycopg.errors.InsufficientPrivilege:
        return []  # some hosts keep these views to themselves
    return [row["holder"] + (f" since {row['since']} UTC" if row["since"] else "") for row in rows]
