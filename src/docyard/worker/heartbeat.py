"""The heartbeat: its own thread and connection, so that a busy worker never looks dead."""

from __future__ import annotations

import threading
from collections.abc import Callable
from uuid import UUID

from docyard import clock, log, queue
from docyard.db import Connection, Database
from docyard.model.timeouts import HEARTBEATS_PER_LEASE


class Heartbeat:
    """Says that the worker lives, and tells it when it must stop believing so itself."""

    def __init__(
        self, db: Database, worker_id: UUID, lease_seconds: float, on_lost: Callable[[], None]
    ) -> None:
        self._db = db
        self._worker_id = worker_id
        self._lease = lease_seconds
        self._interval = lease_seconds / HEARTBEATS_PER_LEASE
        self._on_lost = on_lost
        self._last = clock.monotonic()
        self._stop = threading.Event()
        self._losing = threading.Lock()
        self._beats = threading.Thread(target=self._beat_on, name="heartbeat", daemon=True)
        self._watch = threading.Thread(target=self._watch_beats, name="heartbeat-watch", daemon=True)

    def start(self) -> None:
        """Begin to beat."""
        self._beats.start()
        self._watch.start()

    def stop(self) -> None:
        """Beat no more."""
        self._stop.set()
        self._beats.join(timeout=5)
        self._watch.join(timeout=5)

    @property
    def healthy(self) -> bool:
        """Whether at most one beat was missed; an unhealthy worker claims nothing."""
        return clock.monotonic() - self._last < 2 * self._interval

    def _beat_on(self) -> None:
        conn: Connection | None = None
        while not self._stop.is_set():
            conn = self._beat(conn)
            self._stop.wait(self._interval if conn else min(self._interval, 1.0))
        if conn is not None:
            conn.close()

    def _beat(self, conn: Connection | None) -> Connection | None:
        try:
            conn = conn or self._db.connect()
            if queue.heartbeat(conn, self._worker_id):
                self._last = clock.monotonic()
            else:
                self._lose("it was declared lost")
        except Exception as error:  # noqa: BLE001 (a worker without a heartbeat must notice, whatever ended it)
            log.warn("heartbeat_missed", worker=self._worker_id, error=str(error).strip())
            return None
        return conn

    def _watch_beats(self) -> None:
        """Asks nobody: a beat may wait for ever on a connection that fell silent without breaking."""
        while not self._stop.is_set():
            left = self._last + self._lease / 2 - clock.monotonic()
            if left > 0:
                self._stop.wait(left)
                continue
            # Others may hold our jobs soon; whoever is unsure stops first.
            if self._lose("no heartbeat reached the database for half a lease"):
                self._db.hang_up()

    def _lose(self, why: str) -> bool:
        with self._losing:
            if self._stop.is_set():
                return False
            self._stop.set()
        log.warn("worker_lost_its_leases", worker=self._worker_id, why=why)
        self._on_lost()
        return True
