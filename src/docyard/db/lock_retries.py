"""Retries of schema changes on a busy database, with short lock timeouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import psycopg

from docyard.db.connections import Connection
from docyard.errors import MigrationFailed

# A statement that waits for a table lock blocks all later statements on the table, so each wait is short.
# After a timeout, the transaction is rolled back, which releases all locks.
_TABLE_TIMEOUT = "3s"
_MAX_ATTEMPTS = 20
_PAUSE_SECONDS = 1.0
# The server checks for deadlocks after one second, before the lock timeout, so either error may occur.
LOCK_ERRORS = (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)

_C = TypeVar("_C", bound=Connection)
_T = TypeVar("_T")


def retry_locked(conn: _C, what: str, change: Callable[[_C], _T]) -> _T:
    """Call `change`, which must open its own transaction, and return its result.

    It is retried while other transactions block it; MigrationFailed is raised after `_MAX_ATTEMPTS`.
    """
    for _ in range(_MAX_ATTEMPTS):
        try:
            return change(conn)
        except LOCK_ERRORS:
            conn.execute("SELECT pg_sleep(%s)", (_PAUSE_SECONDS,))
    raise MigrationFailed(
        f"{what} could not lock a table in {_MAX_ATTEMPTS} attempts and was rolled back."
        " End long transactions on this database, then try again."
    )


def set_short_lock_timeout(conn: Connection) -> None:
    """Set a short lock timeout for the rest of this transaction."""
    set_parameter(conn, "lock_timeout", _TABLE_TIMEOUT)


def set_lock_timeout(conn: Connection, seconds: float) -> None:
    """Set the lock timeout for the rest of this transaction."""
    set_parameter(conn, "lock_timeout", f"{seconds * 1000:.0f}")


def set_parameter(conn: Connection, name: str, value: str) -> None:
    """Set a server parameter for the rest of this transaction."""
    conn.execute("SELECT set_config(%s, %s, true)", (name, value))
