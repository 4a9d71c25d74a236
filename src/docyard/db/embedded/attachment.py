"""Being attached: as long as one attachment is open anywhere, the server runs."""

from __future__ import annotations

import os
import time
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Self

import psycopg

from docyard import log
from docyard.db.embedded.address import Address, read_address
from docyard.db.embedded.errors import EmbeddedServerError
from docyard.db.embedded.launch import ensure_guardian
from docyard.db.embedded.layout import Layout, last_lines, read_text
from docyard.db.embedded.locks import let_go, open_lock, try_shared
from docyard.db.embedded.waits import pause, wait_until

_WATCH_SECONDS = 1.0
_LONGEST_WATCH_SECONDS = 30.0


class EmbeddedServer:
    """Holds the shared lock, and starts a new guardian should the present one be killed."""

    def __init__(self, layout: Layout, lock: int, address: Address) -> None:
        self._layout = layout
        self._lock: int | None = lock
        self._address = address
        self._closing = Event()
        self._watcher: Thread | None = None

    @classmethod
    def attach(cls, home: Path, *, wait_seconds: float = 60, watch: bool = True) -> Self:
        """Use the home's server, starting it if nobody has; several attachments in one process are fine."""
        layout = Layout.of(home)
        deadline = time.monotonic() + wait_seconds
        lock = _join_users(layout, deadline)
        try:
            server = cls(layout, lock, _await_server(layout, deadline))
        except BaseException:
            os.close(lock)
            raise
        if watch:
            server._start_watching()
        return server

    def conninfo(self) -> str:
        """The present address; while a new guardian starts, the last one known, which it tries to keep."""
        self._address = read_address(self._layout) or self._address
        return self._address.conninfo()

    def close(self) -> None:
        """Leave; the server stops by itself a moment after the last one left."""
        self._closing.set()
        if self._watcher is not None:
            self._watcher.join()
            self._watcher = None
        if self._lock is not None:
            # Let go by name: a forked child may still hold a copy of the descriptor.
            let_go(self._lock)
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start_watching(self) -> None:
        self._watcher = Thread(target=self._watch, name="embedded-server-watch", daemon=True)
        self._watcher.start()

    def _watch(self) -> None:
        seconds = _WATCH_SECONDS
        while not self._closing.wait(seconds):
            # A guardian that fails again and again (a full disk) is tried ever less often.
            failing = not self._look_after() or self._layout.error.exists()
            seconds = min(seconds * 2, _LONGEST_WATCH_SECONDS) if failing else _WATCH_SECONDS

    def _look_after(self) -> bool:
        try:
            ensure_guardian(self._layout)
        except (EmbeddedServerError, OSError) as error:
            log.fail("embedded.watch", error)
            return False
        return True


def _join_users(layout: Layout, deadline: float) -> int:
    try:
        layout.make_folder()
        lock = open_lock(layout.users_lock)
    except OSError as error:
        raise EmbeddedServerError(f"The folder {layout.folder} cannot be used: {error.strerror}.") from error
    if not wait_until(lambda: try_shared(lock), deadline - time.monotonic()):
        os.close(lock)
        raise EmbeddedServerError(f"The embedded PostgreSQL of {layout.home} is still stopping; try again.")
    return lock


def _await_server(layout: Layout, deadline: float) -> Address:
    before = _error_mark(layout)
    while time.monotonic() < deadline:
        if _error_mark(layout) not in (before, None):
            raise EmbeddedServerError(_with_log(read_text(layout.error) or "", layout))
        ensure_guardian(layout)
        address = read_address(layout)
        if address is not None and _answers(address):
            return address
        pause(0.03)
    raise EmbeddedServerError(_with_log("The embedded PostgreSQL was not ready in time.", layout))


def _error_mark(layout: Layout) -> tuple[int, int] | None:
    """Tells one report from the next, so that an old one is not taken for an answer."""
    try:
        found = layout.error.stat()
    except FileNotFoundError:
        return None
    return (found.st_ino, found.st_mtime_ns)


def _answers(address: Address) -> bool:
    try:
        psycopg.connect(address.conninfo()).close()
    except psycopg.OperationalError:
        return False
    return True


def _with_log(words: str, layout: Layout) -> str:
    lines = last_lines(layout.server_log)
    return f"{words}\n{layout.server_log} ends with:\n{lines}" if lines else words
