"""Notifications of new jobs; they only save time, because workers also poll every few seconds."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg

from docyard import clock, log
from docyard.db import Database
from docyard.errors import Unavailable

CHANNEL = "docyard_jobs"
_CHECK_PERIOD = 15.0  # seconds; a connection without notifications may also be one that no longer works


class Listener:
    """A thread that calls `on_notice` when jobs have become pending in any pool."""

    def __init__(self, db: Database, on_notice: Callable[[], None]) -> None:
        self._db = db
        self._on_notice = on_notice
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="listener", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Ask the thread to end, which takes up to a second."""
        self._stop.set()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._listen()
            except (Unavailable, psycopg.Error) as error:
                log.debug("listener_reconnects", error=str(error).strip())
                self._stop.wait(1.0)

    def _listen(self) -> None:
        with self._db.connect("listener") as conn:
            conn.execute(f"LISTEN {CHANNEL}")
            self._on_notice()  # for notifications sent before LISTEN
            checked_at = clock.monotonic()
            while not self._stop.is_set():
                for _ in conn.notifies(timeout=1.0, stop_after=1):
                    self._on_notice()
                if clock.monotonic() - checked_at > _CHECK_PERIOD:
                    conn.check()
                    checked_at = clock.monotonic()
