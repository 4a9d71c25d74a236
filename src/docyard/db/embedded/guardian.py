"""The guardian: a process of its own that keeps one PostgreSQL server alive while anybody uses it.

Started detached by whoever needs the server first (`python -m docyard.db.embedded.guardian HOME`).
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
from docyard.db.embedded.address import DATABASE, Address, announce, withdraw
from docyard.db.embedded.cluster.placement import DEFAULT_BASE
from docyard.db.embedded.cluster.preparation import prepare
from docyard.db.embedded.errors import EmbeddedServerError
from docyard.db.embedded.layout import Layout, read_text, trim_log, write_private
from docyard.db.embedded.leftovers import clear_the_way
from docyard.db.embedded.locks import is_lock_of, open_lock, try_exclusive
from docyard.db.embedded.occupancy import Occupancy
from docyard.db.embedded.postmaster import (
    Cluster,
    Postmaster,
    free_port,
    is_ready,
    start_postmaster,
    stop_postmaster,
)
from docyard.db.embedded.signals import Wake
from docyard.db.embedded.waits import wait_until

BASE_VARIABLE = "DOCYARD_EMBEDDED_BASE"
ALREADY_GUARDED = 3
_LOOK_SECONDS = 0.5
# A server that fails to start may only be waiting for remains of the last one to vanish.
_START_PAUSES = (0.1, 0.3, 1.0)
# A server that lived this long is not in a loop of dying, and is restarted at once.
_STEADY_SECONDS = 10.0
_LONGEST_PAUSE = 10.0


class Guardian:
    """Starts, restarts and stops the server.

    Single-threaded: the kernel ends the server together with the thread that started it.
    """

    def __init__(self, layout: Layout, lock: int) -> None:
        self._layout = layout
        self._lock = lock
        self._wake = Wake()
        self._occupancy = Occupancy(layout)
        self._postmaster: Postmaster | None = None
        self._pause = 0.0

    def run(self) -> None:
        cluster, password = prepare(self._layout, Path(os.environ.get(BASE_VARIABLE) or DEFAULT_BASE))
        try:
            while not self._must_end():
                started = time.monotonic()
                self._bring_up(cluster, password)
                if self._watch():
                    return
                self._rest(time.monotonic() - started)
        finally:
            if is_lock_of(self._lock, self._layout.guardian_lock):
                withdraw(self._layout)
            self._stop()

    def _must_end(self) -> bool:
        """When asked to, or when HOME was removed or moved: what lies at its path may be another's by now."""
        return self._wake.stop_requested or not is_lock_of(self._lock, self._layout.guardian_lock)

    def _bring_up(self, cluster: Cluster, password: str) -> None:
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
        clear_the_way(cluster.data)
        port = free_port(_last_port(self._layout))
        self._postmaster = start_postmaster(cluster, port)
        if not self._becomes_ready(cluster, self._postmaster):
            return
        address = Address(port, password, self._postmaster.pid, cluster.binaries.version)
        _ensure_database(address)
        write_private(self._layout.port, str(port))
        announce(self._layout, address)
        self._layout.error.unlink(missing_ok=True)
        log.event("embedded.ready", pid=address.pid, port=port)

    def _becomes_ready(self, cluster: Cluster, postmaster: Postmaster) -> bool:
        """No deadline: recovery after a crash takes what it takes, and the users have their own."""
        while not is_ready(cluster, postmaster):
            if self._must_end():
                return False
            if postmaster.poll() is not None:
                raise EmbeddedServerError(
                    f"PostgreSQL stopped while starting (exit status {postmaster.returncode})."
                )
            self._wake.wait(0.02)
        return True

    def _watch(self) -> bool:
        """True when it is time to stop, False when the server died."""
        while self._postmaster is not None and self._postmaster.poll() is None:
            if self._must_end() or self._occupancy.closed_for_good():
                return True
            trim_log(self._layout.server_log)
            self._wake.wait(_LOOK_SECONDS)
        return self._must_end()

    def _rest(self, lived: float) -> None:
        log.warn("embedded.postmaster_died", lived_seconds=round(lived, 1))
        steady = lived >= _STEADY_SECONDS
        self._pause = 0.0 if steady else min(max(0.25, self._pause * 2), _LONGEST_PAUSE)
        self._sleep(self._pause)

    def _sleep(self, seconds: float) -> None:
        wait_until(lambda: self._wake.stop_requested, seconds)

    def _stop(self) -> None:
        if self._postmaster is not None:
            stop_postmaster(self._postmaster)
            log.event("embedded.stopped", status=self._postmaster.returncode)


def main(home: str) -> int:
    """Take the lock, then leave it to a child of ours: our exit tells whoever started us that it is held."""
    os.umask(0o077)
    # Whoever started us may wait for these signals in a way of its own, and we inherit that.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT))
    layout = Layout.of(Path(home))
    lock = open_lock(layout.guardian_lock)
    # Others look at this lock by taking it for an instant, hence the second tries.
    if not wait_until(lambda: try_exclusive(lock), seconds=0.5):
        return ALREADY_GUARDED
    withdraw(layout)
    if os.fork():
        return 0
    # Always of one width, so that a reader sees the old pid or the new one, never a mixture.
    os.pwrite(lock, f"{os.getpid():>10}\n".encode(), 0)
    log.configure()
    return _guard(layout, lock)


def _guard(layout: Layout, lock: int) -> int:
    try:
        Guardian(layout, lock).run()
    except Exception as error:  # noqa: BLE001 - whatever it was, somebody is waiting for these words
        log.fail("embedded.guardian_failed", error)
        with contextlib.suppress(OSError):
            _report(layout, lock, error)
        return 1
    return 0


def _report(layout: Layout, lock: int, error: Exception) -> None:
    if is_lock_of(lock, layout.guardian_lock):
        write_private(layout.error, str(error) or repr(error))


def _last_port(layout: Layout) -> int | None:
    text = read_text(layout.port) or ""
    return int(text) if text.isdigit() else None


def _ensure_database(address: Address) -> None:
    with psycopg.connect(address.conninfo("postgres"), autocommit=True) as conn:
        if not conn.execute("select 1 from pg_database where datname = %s", (DATABASE,)).fetchone():
            conn.execute(f"create database {DATABASE}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
