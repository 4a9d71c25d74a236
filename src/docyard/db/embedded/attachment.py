"""Attachments to the embedded server, which runs as long as any process is attached."""

from __future__ import annotations

import errno
import os
import shutil
import time
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Self

import psycopg

from docyard import log
from docyard.db.embedded.address import Address, read_address
from docyard.db.embedded.errors import EmbeddedServerError
from docyard.db.embedded.guardian_start import ensure_guardian
from docyard.db.embedded.layout import Layout, read_last_lines, read_text
from docyard.db.embedded.locks import open_lock, try_shared, unlock
from docyard.db.embedded.waits import pause, wait_until
from docyard.errors import DocyardError, StorageFull

_WATCH_SECONDS = 1.0
_MAX_WATCH_SECONDS = 30.0
_MIN_FREE_SPACE = 256 * 1024  # bytes; with less, the server cannot start


class EmbeddedServer:
    """An attachment: it holds the shared lock and, with `watch`, starts a guardian if none is running."""

    def __init__(self, layout: Layout, lock: int, address: Address) -> None:
        self._layout = layout
        self._lock: int | None = lock
        self._address = address
        self._closing = Event()
        self._watcher: Thread | None = None

    @classmethod
    def attach(cls, home: Path, *, wait_seconds: float = 60, watch: bool = True) -> Self:
        """Attach to the server of `home`, and start it if needed; a process may attach several times."""
        layout = Layout.for_home(home)
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
        """Return the connection string, or the last known one while the guardian is being replaced.

        The last one usually remains valid, because a restarted server reuses its port if possible.
        """
        self._address = read_address(self._layout) or self._address
        return self._address.conninfo()

    def close(self) -> None:
        """Detach; the server stops shortly after the last process has detached."""
        self._closing.set()
        if self._watcher is not None:
            self._watcher.join()
            self._watcher = None
        if self._lock is not None:
            # Unlock explicitly: a forked child may have a copy of the descriptor, which would keep the lock.
            unlock(self._lock)
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
            # Back off if the guardian fails repeatedly, for example because the disk is full.
            failing = not self._try_guardian() or self._layout.error.exists()
            seconds = min(seconds * 2, _MAX_WATCH_SECONDS) if failing else _WATCH_SECONDS

    def _try_guardian(self) -> bool:
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
        raise EmbeddedServerError(
            f"The folder {layout.folder} cannot be used: {error.strerror}."
            " Make it writable, or set DOCYARD_HOME to another folder."
        ) from error
    if not wait_until(lambda: try_shared(lock), deadline - time.monotonic()):
        os.close(lock)
        raise EmbeddedServerError(f"The embedded PostgreSQL of {layout.home} is still stopping. Try again in a moment.")
    return lock


def _await_server(layout: Layout, deadline: float) -> Address:
    before = _identify_error(layout)
    while time.monotonic() < deadline:
        if _identify_error(layout) not in (before, None):
            raise _make_error(read_text(layout.error) or "", layout)
        ensure_guardian(layout)
        address = read_address(layout)
        if address is not None and _answers(address):
            return address
        if shutil.disk_usage(layout.home).free < _MIN_FREE_SPACE:  # the guardian cannot even record an error
            raise _full_disk_error(layout)
        pause(0.03)
    raise _make_error(
        "The embedded PostgreSQL was not ready in time. It may still be recovering; try again later.", layout
    )


def _identify_error(layout: Layout) -> tuple[int, int] | None:
    """Return the inode and time of the error file, which differ for each error, or None if it is missing."""
    try:
        found = layout.error.stat()
    except FileNotFoundError:
        return None
    return (found.st_ino, found.st_mtime_ns)


def _answers(address: Address) -> bool:
    try:
        psycopg.connect(address.conninfo(), connect_timeout=10).close()
    except psycopg.OperationalError:
        return False
    return True


def _make_error(message: str, layout: Layout) -> DocyardError:
    """Return the error with the last lines of the log; StorageFull if they report a full disk."""
    lines = read_last_lines(layout.server_log)
    if os.strerror(errno.ENOSPC) in message + lines:
        return _full_disk_error(layout)
    return EmbeddedServerError(f"{message}\nLast lines of {layout.server_log}:\n{lines}" if lines else message)


def _full_disk_error(layout: Layout) -> StorageFull:
    return StorageFull(f"There is no space left for the database in {layout.home}. Free some space, then try again.")
