"""The guardian: a process that keeps one PostgreSQL server running while any process is attached to it.

The first process that attaches starts the guardian in the background
(`python -m docyard.db.embedded.guardian HOME`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

import psycopg

from docyard import log
from docyard.db.embedded.address import DATABASE, Address, publish_address, remove_address
from docyard.db.embedded.cleanup import end_old_processes
from docyard.db.embedded.cluster.placement import DEFAULT_BASE
from docyard.db.embedded.cluster.preparation import prepare
from docyard.db.embedded.errors import EmbeddedServerError
from docyard.db.embedded.idle_detection import Occupancy
from docyard.db.embedded.layout import Layout, read_text, rotate_log, write_private
from docyard.db.embedded.locks import is_same_file, open_lock, try_exclusive
from docyard.db.embedded.postmaster import (
    Cluster,
    Postmaster,
    find_free_port,
    is_ready,
    start_postmaster,
    stop_postmaster,
)
from docyard.db.embedded.signals import SignalWaiter
from docyard.db.embedded.waits import wait_until

BASE_VARIABLE = "DOCYARD_EMBEDDED_BASE"
EXIT_ALREADY_RUNNING = 3
_WATCH_SECONDS = 0.5
# Seconds between attempts to start the server. They may fail while processes of the previous one are ending.
_START_PAUSES = (0.1, 0.3, 1.0)
# A server that ran this long is restarted without delay; one that ended sooner may be in a crash loop.
_STABLE_SECONDS = 10.0
_MAX_PAUSE = 10.0


class Guardian:
    """The owner of the server, which it starts, restarts and stops.

    It runs in a single thread, because on Linux the server ends with the thread that started it.
    """

    def __init__(self, layout: Layout, lock: int) -> None:
        self._layout = layout
        self._lock = lock
        self._wake = SignalWaiter()
        self._occupancy = Occupancy(layout)
        self._postmaster: Postmaster | None = None
        self._pause = 0.0

    def run(self) -> None:
        """Keep the server running until no process is attached, or the guardian must end."""
        cluster, password = prepare(self._layout, Path(os.environ.get(BASE_VARIABLE) or DEFAULT_BASE))
        try:
            while not self._must_end():
                started = time.monotonic()
                self._start_with_retries(cluster, password)
                if self._watch():
                    return
                self._back_off(time.monotonic() - started)
        finally:
            if is_same_file(self._lock, self._layout.guardian_lock):
                remove_address(self._layout)
            self._stop()

    def _must_end(self) -> bool:
        """Return whether a signal requested a stop, or HOME was removed or moved."""
        return self._wake.stop_requested or not is_same_file(self._lock, self._layout.guardian_lock)

    def _start_with_retries(self, cluster: Cluster, password: str) -> None:
        for pause in (*_START_PAUSES, None):
            if self._must_end():
                return
            try:
                self._start(cluster, password)
                return
            except (EmbeddedServerError, psycopg.OperationalError):
                if pause is None:
                    raise
                self._stop()
                self._sleep(pause)

    def _start(self, cluster: Cluster, password: str) -> None:
        end_old_processes(cluster.data)
        port = find_free_port(_read_last_port(self._layout))
        self._postmaster = start_postmaster(cluster, port)
        if not self._await_ready(cluster, self._postmaster):
            return
        address = Address(port, password, self._postmaster.pid, cluster.binaries.version)
        _ensure_database(address)
        write_private(self._layout.port, str(port))
        publish_address(self._layout, address)
        self._layout.error.unlink(missing_ok=True)
        log.event("embedded.ready", pid=address.pid, port=port)

    def _await_ready(self, cluster: Cluster, postmaster: Postmaster) -> bool:
        """Wait without a timeout, because recovery may be slow; return False if the guardian must end."""
        while not is_ready(cluster, postmaster):
            if self._must_end():
                return False
            if postmaster.poll() is not None:
                raise EmbeddedServerError(f"PostgreSQL exited during startup (exit status {postmaster.returncode}).")
            self._wake.wait(0.02)
        return True

    def _watch(self) -> bool:
        """Watch the server; return True when it must be stopped, False if it ended unexpectedly."""
        while self._postmaster is not None and self._postmaster.poll() is None:
            if self._must_end() or self._occupancy.is_idle():
                return True
            rotate_log(self._layout.server_log)
            self._wake.wait(_WATCH_SECONDS)
        return self._must_end()

    def _back_off(self, lived: float) -> None:
        log.warn("embedded.postmaster_died", lived_seconds=round(lived, 1))
        stable = lived >= _STABLE_SECONDS
        self._pause = 0.0 if stable else min(max(0.25, self._pause * 2), _MAX_PAUSE)
        self._sleep(self._pause)

    def _sleep(self, seconds: float) -> None:
        wait_until(lambda: self._wake.stop_requested, seconds)

    def _stop(self) -> None:
        if self._postmaster is not None:
            stop_postmaster(self._postmaster)
            log.event("embedded.stopped", status=self._postmaster.returncode)


def main(home: str) -> int:
    """Take the lock and fork the guardian; return EXIT_ALREADY_RUNNING if another guardian has the lock."""
    os.umask(0o077)
    # The signal mask is inherited, and the caller may block these signals.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT))
    layout = Layout.for_home(Path(home))
    lock = open_lock(layout.guardian_lock)
    # Other processes test this lock by taking it for a moment, so several attempts may be needed.
    if not wait_until(lambda: try_exclusive(lock), seconds=0.5):
        return EXIT_ALREADY_RUNNING
    remove_address(layout)
    if os.fork():
        return 0  # The caller waits for this exit, which means that the lock is taken.
    # The width is fixed, so that a reader sees either the old pid or the new one, never a mixture.
    os.pwrite(lock, f"{os.getpid():>10}\n".encode(), 0)
    log.configure()
    return _guard(layout, lock)


def _guard(layout: Layout, lock: int) -> int:
    try:
        Guardian(layout, lock).run()
    except Exception as error:  # noqa: BLE001 - attaching processes wait for the report of any error
        log.fail("embedded.guardian_failed", error)
        with contextlib.suppress(OSError):
            _report(layout, lock, error)
        return 1
    return 0


def _report(layout: Layout, lock: int, error: Exception) -> None:
    if is_same_file(lock, layout.guardian_lock):
        write_private(layout.error, str(error) or repr(error))


def _read_last_port(layout: Layout) -> int | None:
    text = read_text(layout.port) or ""
    return int(text) if text.isdigit() else None


def _ensure_database(address: Address) -> None:
    with psycopg.connect(address.conninfo("postgres"), autocommit=True, connect_timeout=10) as conn:
        if not conn.execute("select 1 from pg_database where datname = %s", (DATABASE,)).fetchone():
            conn.execute(f"create database {DATABASE}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
