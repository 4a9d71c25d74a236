"""Translation of the server's errors into the errors of Docyard."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import psycopg_pool

from docyard.errors import Locked, StorageFull, Unavailable

# By SQLSTATE. A deadlock is a lock that would never become available.
_LOCKED = ("55P03", "40P01")
_DISK_FULL = "53100"
_CANCELLED = "57014"
_READ_ONLY = "25006"  # also while a standby takes over, or after a hosting provider stopped writes
# Texts of failures to connect, which have no SQLSTATE: the server is starting, stopping, or has no connection left.
_PASSING = (
    "starting up",
    "shutting down",
    "not yet accepting connections",
    "recovery mode",
    "too many clients",
    "too many connections",
    "remaining connection slots",
    "server closed the connection",
    "did not answer",
)
_LOST = ("57P01", "57P02", "57P03", "25P03", "58030")


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise Unavailable, or a subclass of it, instead of a database error that may not occur again later."""
    try:
        yield
    except psycopg_pool.PoolTimeout as error:
        message = "No database connection became available in time. The database is down or overloaded."
        raise Unavailable(message) from error
    except psycopg.Error as error:
        if translated := _translate(error):
            raise translated from error
        raise


def _translate(error: psycopg.Error) -> Unavailable | None:
    state = error.sqlstate
    if state in _LOCKED:
        return Locked()
    if state == _DISK_FULL:
        return StorageFull(f"The disk of the database server is full: {describe(error)}")
    if state == _CANCELLED:
        return Unavailable("The query took too long and was cancelled. Try again later.")
    if state == _READ_ONLY:
        return Unavailable(f"The database accepts no changes: {describe(error)}")
    return Unavailable(f"The database cannot be reached: {describe(error)}") if is_connection_lost(error) else None


def describe(error: psycopg.Error) -> str:
    """Return the message in one line, without its detail, hint and context."""
    # The client library adds advice to its own messages, in further lines.
    text = error.diag.message_primary or str(error).strip().partition("\n")[0]
    return " ".join(text.split())


def is_connection_lost(error: psycopg.Error) -> bool:
    """Return whether the connection was lost or refused, or the server lacks resources."""
    state = error.sqlstate
    if state is None:
        return isinstance(error, psycopg.OperationalError)
    return state[:2] in ("08", "53") or state in _LOST


def may_soon_work(error: Unavailable) -> bool:
    """Return whether a connection failed for a reason that usually passes within seconds."""
    said = str(error.__cause__ or error)  # the cause may tell of several attempts
    return any(text in said for text in _PASSING)
