"""Shifts of the times of documents, sessions and links after a step of the database's clock."""

from __future__ import annotations

from docyard.db import Connection, Queries

_SQL = Queries("docyard.store", "shifted_times.sql")
_MAX_LIVE_DOCUMENTS = 20_000
_BATCH_SIZE = 2000


def shift_store_times(conn: Connection, seconds: float, since: float, until: float) -> None:
    """Shift times by `seconds`, except those between `since` and `until`, which the new clock gave."""
    params = {"seconds": seconds, "since": since, "until": until, "limit": _MAX_LIVE_DOCUMENTS}
    for name in ("shift_sessions", "shift_links", "shift_live_documents"):
        conn.execute(_SQL[name], params)


def pull_documents(conn: Connection) -> bool:
    """Move the times of a batch of documents out of the future; return whether there may be more."""
    return conn.execute(_SQL["pull_documents"], {"limit": _BATCH_SIZE}).rowcount == _BATCH_SIZE
