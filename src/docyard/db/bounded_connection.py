"""Connections that stop waiting for a server that no longer answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.rows import DictRow

_CHECK_SECONDS = 5.0
_POLL_SECONDS = 0.1
_T = TypeVar("_T")


class BoundedConnection(psycopg.Connection[DictRow]):
    """A connection whose every wait for the server ends after `longest_wait` seconds, at the latest.

    Keepalives do not suffice: a proxy may acknowledge every packet and forward none. The timeouts of the server
    do not suffice either, because its answer may be lost.
    """

    longest_wait = 10.0  # until the connection is configured
    on_silence: Callable[[], None] | None = None  # called when the server did not answer in time

    def wait(self, gen: PQGen[_T], interval: float = _POLL_SECONDS, timeout: float | None = None) -> _T:
        """Wait for the server; if it does not answer in time, break the connection and raise OperationalError."""
        if timeout is not None:  # the caller handles it, as `notifies` does
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, self.longest_wait)
        except psycopg.errors._WaitTimeout:  # noqa: SLF001 (there is no public name for it)
            self.pgconn.finish()
        if self.on_silence is not None:
            self.on_silence()
        raise psycopg.OperationalError(f"The server did not answer within {self.longest_wait:.0f} seconds.")

    @contextmanager
    def limit_wait(self, seconds: float) -> Iterator[None]:
        """Wait at most `seconds` for each answer within this context."""
        previous, self.longest_wait = self.longest_wait, seconds
        try:
            yield
        finally:
            self.longest_wait = previous

    def check(self) -> None:
        """Raise OperationalError unless the server answers within five seconds."""
        with self.limit_wait(_CHECK_SECONDS):
            self.execute("")
