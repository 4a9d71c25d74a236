"""Connections to PostgreSQL; one transaction per request or settlement, opened and committed at the edge."""

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
_FROZEN_AFTER = "10s"
_TRUSTED_FOR = 1.0  # seconds; asking before every use costs a tenth of a busy worker's time

# A peer that vanished without a word is noticed within seconds, not after the kernel's two hours.
_KEEPALIVE = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "connect_timeout": 10,
}


class Database:
    """A pool of connections to one database; the address is asked for anew at every connect."""

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
        self._returned: weakref.WeakKeyDictionary[Connection, float] = weakref.WeakKeyDictionary()
        self._longest_statement = longest_statement
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
        """A connection of one's own in autocommit, for listening and heartbeats; the caller closes it."""
        with _reachable():
            conn = psycopg.Connection[DictRow].connect(self._address(), **self._kwargs)  # type: ignore[arg-type]
            self._configure(conn)
            return conn

    @contextmanager
    def transaction(self, workspace: UUID | None = None, *, operator: bool = False) -> Iterator[Connection]:
        """One transaction, bound to one workspace when it is named, or with an operator's eyes."""
        with _reachable(), self._pool.connection() as conn, conn.transaction():
            if operator:
                # LOCAL: the next transaction on this connection starts without it.
                conn.execute(f"SET LOCAL ROLE {OPERATOR_ROLE}")
            if workspace is not None:
                conn.execute("SELECT set_config('docyard.workspace', %s, true)", (str(workspace),))
            yield conn

    @contextmanager
    def statement(self) -> Iterator[Connection]:
        """Single statements that commit by themselves: a process frozen between two holds no lock."""
        with _reachable(), self._pool.connection() as conn:
            yield conn

    def hang_up(self) -> None:
        """Break every connection, so that whoever waits for an answer that never comes hears of it."""
        for conn in list(self._open):
            with contextlib.suppress(OSError, psycopg.Error), _socket_of(conn) as line:
                line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Give every connection back."""
        self._pool.close()

    def _configure(self, conn: Connection) -> None:
        conn.prepare_threshold = 2
        self._open.add(conn)
        # A process that was frozen in the middle of a transaction must not hold its locks for ever.
        conn.execute("SELECT set_config('idle_in_transaction_session_timeout', %s, false)", (_FROZEN_AFTER,))
        conn.execute("SELECT set_config('statement_timeout', %s, false)", (self._longest_statement,))
        if self._switch:
            conn.execute(f"SET ROLE {WEB_ROLE}")

    def _check(self, conn: Connection) -> None:
        """Nobody should find a connection broken that was only left alone for a while."""
        if clock.monotonic() - self._returned.get(conn, float("-inf")) > _TRUSTED_FOR:
            psycopg_pool.ConnectionPool.check_connection(conn)

    def _note_return(self, conn: Connection) -> None:
        self._returned[conn] = clock.monotonic()


def _socket_of(conn: Connection) -> socket.socket:
    """A second handle on the connection's socket; closing it leaves the connection's own alone."""
    return socket.socket(fileno=os.dup(conn.fileno()))


@contextmanager
def _reachable() -> Iterator[None]:
    try:
        yield
    except psycopg_pool.PoolTimeout as error:
        raise Unavailable("The database did not give a connection in time.") from error
    except psycopg.errors.QueryCanceled as error:
        raise Unavailable("The database took too long to answer.") from error
    except psycopg.OperationalError as error:
        if is_lost(error):
            raise Unavailable(f"The database cannot be reached: {error}") from error
        raise


def is_lost(error: psycopg.Error) -> bool:
    """Whether the connection is gone, rather than the statement refused."""
    state = error.sqlstate
    return state is None or state[:2] == "08" or state in ("57P01", "57P02", "57P03", "53300", "25P03")
