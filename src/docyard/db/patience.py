"""Changes that lock tables of a busy database: each wait is short, all is let go, and it is tried again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import psycopg

from docyard.db.connect import Connection
from docyard.errors import MigrationFailed

# Whoever waits for a table stops all others who want it, so each wait is short and what is held is let go.
_TABLE_TIMEOUT = "3s"
_TRIES = 20
_PAUSE_SECONDS = 1.0
# The server looks for deadlocks after a second, which is before a wait for a table ends.
IN_THE_WAY = (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)

_T = TypeVar("_T")


def patiently(conn: Connection, what: str, change: Callable[[Connection], _T]) -> _T:
    """Make a change again until nobody is in its way; it opens its own transaction on `conn`."""
    for _ in range(_TRIES):
        try:
            return change(conn)
        except IN_THE_WAY:
            conn.execute("SELECT pg_sleep(%s)", (_PAUSE_SECONDS,))
    raise MigrationFailed(
        f"{what} could not lock a table in {_TRIES} attempts and was undone."
        " End the long transactions that use the database, then try again."
    )


def wait_briefly(conn: Connection) -> None:
    """Let the rest of this transaction wait only a short time for each lock."""
    set_locally(conn, "lock_timeout", _TABLE_TIMEOUT)


def set_locally(conn: Connection, name: str, value: str) -> None:
    """Change a setting of the server for the rest of this transaction."""
    conn.execute("SELECT set_config(%s, %s, true)", (name, value))
