"""Retry budgets of workspaces that have had no trouble for a while."""

from __future__ import annotations

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.control", "budgets.sql")


def drop_idle_budgets(conn: Connection) -> int:
    """Forget budgets that say no more than no budget would; gives how many."""
    return len(conn.execute(_SQL["drop_idle_budgets"]).fetchall())
