"""Cleanup of unused retry budgets."""

from __future__ import annotations

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.control", "budgets.sql")


def drop_idle_budgets(conn: Connection) -> int:
    """Delete expired retry budgets that have the default limits; return their number."""
    return len(conn.execute(_SQL["drop_idle_budgets"]).fetchall())
