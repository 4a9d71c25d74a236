"""Connections to PostgreSQL and transactions on them."""

from __future__ import annotations

import contextlib
import os
import socket
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from uuid import UUID

import psycopg
import psycopg_pool
from psycopg.rows import DictRow, dict_row

from docyard import clock
from docyard.db.bounded_connection import BoundedConnection
from docyard.db.database_errors import translate_errors

Connection = psycopg.Connection[DictRow]
WEB_ROLE = "docyard_web"
OPERATOR_ROLE = "docyard_operator"
_IDLE_TRANSACTION_TIMEOUT = "10s"
# Idle time in the pool after which a connection is checked before use. Checks before every use would take a
# tenth of a busy worker's time.
_CHECK_AFTER_SECONDS = 1.0
# How much longer than the server's own timeout a client waits for the answer.
_ANSWER_SECONDS = 5.0
_SHORT_WAIT_SECONDS = 10.0

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
    """A pool of connections to a database; each new connection gets its connection string from `address`.

    No wait is unbounded: a statement ends after `statement_seconds`, a wait for a lock after `lock_seconds`, and
    a wait for a server that does not answer shortly after the statement should have ended.
    """

    def __init__(
        self,
        address: Callable[[], str],
        *,
        size: int = 4,
        switch_to_web_role: bool = False,
        name: str = "docyard",
        statement_seconds: float = 60.0,
        lock_seconds: float = 2.0,
    ) -> None:
        self._address = address
        self._name = name
        self._switch = switch_to_web_role
        self._open: weakref.WeakSet[BoundedConnection] = weakref.WeakSet()
        self._returned_at: weakref.WeakKeyDictionary[BoundedConnection, float] = weakref.WeakKeyDictionary()
        self._statement_seconds = statement_seconds
        self._lock_seconds = lock_seconds
        self._kwargs = {"row_factory": dict_row, "application_name": name, "autocommit": True, **_KEEPALIVE}
        self._pool: psycopg_pool.ConnectionPool[BoundedConnection] = psycopg_pool.ConnectionPool(
            address,
            connection_class=BoundedConnection,
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

    def connect(
        self, purpose: str = "", *, statement_seconds: float | None = None, lock_seconds: float | None = None
    ) -> BoundedConnection:
        """Open a connection outside the pool, in autocommit mode; the caller closes it."""
        kwargs = {**self._kwargs, "application_name": f"{self._name} {purpose}".strip()}
        with translate_errors():
            conn = BoundedConnection.connect(self._address(), **kwargs)  # type: ignore[arg-type]
            self._configure(conn, statement_seconds, lock_seconds)
            return conn

    @contextmanager
    def transaction(self, workspace: UUID | None = None, *, operator: bool = False) -> Iterator[BoundedConnection]:
        """Open a transaction, optionally for one workspace or with the operator role.

        Row-level security limits the web role to the workspace; it does not apply to the owner of the tables.
        """
        with translate_errors(), self._pool.connection() as conn, ExitStack() as stack:
            # A connection that became silent while it was idle is noticed here, sooner than by a statement.
            with conn.limit_wait(_SHORT_WAIT_SECONDS):
                stack.enter_context(conn.transaction())
            if operator:
                # SET LOCAL ends with the transaction, so the next one on this connection has its usual role.
                conn.execute(f"SET LOCAL ROLE {OPERATOR_ROLE}")
            if workspace is not None:
                conn.execute("SELECT set_config('docyard.workspace', %s, true)", (str(workspace),))
            yield conn

    @contextmanager
    def statement(self) -> Iterator[BoundedConnection]:
        """Provide a connection in autocommit mode, so that no lock is held between two statements.

        The statements must be short: the wait for each answer is limited to ten seconds.
        """
        with translate_errors(), self._pool.connection() as conn, conn.limit_wait(_SHORT_WAIT_SECONDS):
            yield conn

    def shut_down_connections(self) -> None:
        """Shut down every connection, so that threads blocked on a dead server get an error."""
        for conn in list(self._open):
            with contextlib.suppress(OSError, psycopg.Error), _duplicate_socket(conn) as duplicate:
                duplicate.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the pool and its connections."""
        self._pool.close()

    def _configure(
        self, conn: BoundedConnection, statement_seconds: float | None = None, lock_seconds: float | None = None
    ) -> None:
        conn.prepare_threshold = 2
        self._open.add(conn)
        seconds = self._statement_seconds if statement_seconds is None else statement_seconds
        lock_seconds = self._lock_seconds if lock_seconds is None else lock_seconds
        conn.execute(
            "SELECT set_config('statement_timeout', %s, false), set_config('lock_timeout', %s, false),"
            # A process that is suspended within a transaction must not hold its locks indefinitely.
            " set_config('idle_in_transaction_session_timeout', %s, false)",
            (f"{seconds * 1000:.0f}", f"{lock_seconds * 1000:.0f}", _IDLE_TRANSACTION_TIMEOUT),
        )
        if self._switch:
            conn.execute(f"SET ROLE {WEB_ROLE}")
        conn.longest_wait = seconds + _ANSWER_SECONDS
        conn.on_silence = self._replace_idle

    def _replace_idle(self) -> None:
        """Replace the idle connections, because they are probably as silent as the one that has just failed."""
        self._pool.drain()

    def _check(self, conn: BoundedConnection) -> None:
        """Check a connection unless it was used in the last second; the pool replaces a broken connection."""
        if clock.monotonic() - self._returned_at.get(conn, float("-inf")) > _CHECK_AFTER_SECONDS:
            conn.check()

    def _note_return(self, conn: BoundedConnection) -> None:
        self._returned_at[conn] = clock.monotonic()


def _duplicate_socket(conn: Connection) -> socket.socket:
    """Return a second handle on the connection's socket; closing it does not close the connection."""
    return socket.socket(fileno=os.dup(conn.fileno()))
