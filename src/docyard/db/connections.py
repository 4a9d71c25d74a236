"""Connections to PostgreSQL and transactions on them."""

from __future__ import annotations

import contextlib
import os
import socket
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

import psycopg
import psycopg_pool
from psycopg.rows import DictRow, dict_row

from docyard import clock
from docyard.errors import Unavailable

Connection = psycopg.Connection[DictRow]
WEB_ROLE = "docyard_web"
OPERATOR_ROLE = "docyard_operator"
_IDLE_TRANSACTION_TIMEOUT = "10s"
# Idle time in the pool after which a connection is checked before use. Checks before every use would take a
# tenth of a busy worker's time.
_CHECK_AFTER_SECONDS = 1.0

# With these settings, a server that disappears without closing its connections is noticed within half a
# minute. With the defaults of the kernel, it takes two hours.
_KEEPALIVE = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "connect_timeout": 10,
}


class Database:
    """A pool of connections to a database; each new connection gets its connection string from `address`."""

    def __init__(
        self,
        address: Callable[[], str],
        *,
        size: int = 4,
        switch_to_web_role: bool = False,
        name: str = "docyard",
        longest_statement: str = "0",
    ) -> None:
        self._address = address
        self._switch = switch_to_web_role
        self._open: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._returned_at: weakref.WeakKeyDictionary[Connection, float] = weakref.WeakKeyDictionary()
        self._statement_timeout = longest_statement
        self._kwargs = {"row_factory": dict_row, "application_name": name, "autocommit": True, **_KEEPALIVE}
        self._pool: psycopg_pool.ConnectionPool[Connection] = psycopg_pool.ConnectionPool(
            address,
            kwargs=self._kwargs,
            configure=self._configure,
            min_size=0,
            max_size=size,
            check=self._check,
            reset=self._note_return,
            timeout=15,
            reconnect_timeout=10,
            open=True,
            name=name,
        )

    def connect(self) -> Connection:
        """Open a connection outside the pool, in autocommit mode; the caller closes it."""
        with _translate_errors():
            conn = psycopg.Connection[DictRow].connect(self._address(), **self._kwargs)  # type: ignore[arg-type]
            self._configure(conn)
            return conn

    @contextmanager
    def transaction(self, workspace: UUID | None = None, *, operator: bool = False) -> Iterator[Connection]:
        """Open a transaction, optionally for one workspace or with the operator role.

        Row-level security limits the web role to the workspace; it does not apply to the owner of the tables.
        """
        with _translate_errors(), self._pool.connection() as conn, conn.transaction():
            if operator:
                # SET LOCAL ends with the transaction, so the next one on this connection has its usual role.
                conn.execute(f"SET LOCAL ROLE {OPERATOR_ROLE}")
            if workspace is not None:
                conn.execute("SELECT set_config('docyard.workspace', %s, true)", (str(workspace),))
            yield conn

    @contextmanager
    def statement(self) -> Iterator[Connection]:
        """Provide a connection in autocommit mode, so that no lock is held between two statements."""
        with _translate_errors(), self._pool.connection() as conn:
            yield conn

    def shut_down_connections(self) -> None:
        """Shut down every connection, so that threads blocked on a dead server get an error."""
        for conn in list(self._open):
            with contextlib.suppress(OSError, psycopg.Error), _duplicate_socket(conn) as duplicate:
                duplicate.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the pool and its connections."""
        self._pool.close()

    def _configure(self, conn: Connection) -> None:
        conn.prepare_threshold = 2
        self._open.add(conn)
        # A process that is suspended within a transaction must not hold its locks indefinitely.
        timeout = _IDLE_TRANSACTION_TIMEOUT
        conn.execute("SELECT set_config('idle_in_transaction_session_timeout', %s, false)", (timeout,))
        conn.execute("SELECT set_config('statement_timeout', %s, false)", (self._statement_timeout,))
        if self._switch:
            conn.execute(f"SET ROLE {WEB_ROLE}")

    def _check(self, conn: Connection) -> None:
        """Check a connection unless it was used in the last second; the pool replaces a broken connection."""
        if clock.monotonic() - self._returned_at.get(conn, float("-inf")) > _CHECK_AFTER_SECONDS:
            psycopg_pool.ConnectionPool.check_connection(conn)

    def _note_return(self, conn: Connection) -> None:
        self._returned_at[conn] = clock.monotonic()


def _duplicate_socket(conn: Connection) -> socket.socket:
    """Return a second handle on the connection's socket; closing it does not close the connection."""
    return socket.socket(fileno=os.dup(conn.fileno()))


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except psycopg_pool.PoolTimeout as error:
        message = "No database connection became available in time. The database is down or overloaded."
        raise Unavailable(message) from error
    except psycopg.errors.QueryCanceled as error:
        raise Unavailable("The query took too long and was cancelled. Try again later.") from error
    except psycopg.OperationalError as error:
        if is_connection_lost(error):
            raise Unavailable(f"The database cannot be reached: {error}") from error
        raise


def is_connection_lost(error: psycopg.Error) -> bool:
    """Return whether the connection was lost or refused; otherwise a statement failed."""
    state = error.sqlstate
    return state is None or state[:2] == "08" or state in ("57P01", "57P02", "57P03", "53300", "25P03")
