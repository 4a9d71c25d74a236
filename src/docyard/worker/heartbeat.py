"""The heartbeat of a worker, sent from its own thread and connection so that it works under load."""

from __future__ import annotations

import threading
from collections.abc import Callable
from uuid import UUID

from docyard import clock, log, queue
from docyard.db import Connection, Database
from docyard.model.timeouts import HEARTBEATS_PER_LEASE


class Heartbeat:
    """A sender and a watchdog thread, which call `on_lost` once if the leases of the worker are lost."""

    def __init__(self, db: Database, worker_id: UUID, lease_seconds: float, on_lost: Callable[[], None]) -> None:
        self._db = db
        self._worker_id = worker_id
        self._lease_seconds = lease_seconds
        self._interval = lease_seconds / HEARTBEATS_PER_LEASE
        self._on_lost = on_lost
        self._sent_at = clock.monotonic()
        self._stop = threading.Event()
        self._lost_lock = threading.Lock()
        self._sender = threading.Thread(target=self._send_all, name="heartbeat", daemon=True)
        self._watchdog = threading.Thread(target=self._watch_timeout, name="heartbeat-watch", daemon=True)

    def start(self) -> None:
        """Start the threads."""
        self._sender.start()
        self._watchdog.start()

    def stop(self) -> None:
        """Stop the threads; wait at most five seconds for each."""
        self._stop.set()
        self._sender.join(timeout=5)
        self._watchdog.join(timeout=5)

    @property
    def is_healthy(self) -> bool:
        """Whether at most one heartbeat was missed; an unhealthy worker claims no jobs."""
        return clock.monotonic() - self._sent_at < 2 * self._interval

    def _send_all(self) -> None:
        conn: Connection | None = None
        while not self._stop.is_set():
            conn = self._send(conn)
            self._stop.wait(self._interval if conn else min(self._interval, 1.0))
        if conn is not None:
            conn.close()

    def _send(self, conn: Connection | None) -> Connection | None:
        try:
            conn = conn or self._db.connect()
            if queue.heartbeat(conn, self._worker_id):
                self._sent_at = clock.monotonic()
            else:
                self._declare_lost("another worker declared it lost")
        except Exception as error:  # noqa: BLE001 (any error is a missed heartbeat)
            log.warn("heartbeat_missed", worker=self._worker_id, error=str(error).strip())
            return None
        return conn

    def _watch_timeout(self) -> None:
        """Declare the leases lost if no heartbeat succeeds for half a lease.

        The sender cannot do this: it may block indefinitely on a connection that no longer responds.
        """
        while not self._stop.is_set():
            remaining = self._sent_at + self._lease_seconds / 2 - clock.monotonic()
            if remaining > 0:
                self._stop.wait(remaining)
                continue
            # Stop before the lease ends: after that, other workers may take over the jobs.
            if self._declare_lost("no heartbeat reached the database for half a lease"):
                self._db.shut_down_connections()

    def _declare_lost(self, why: str) -> bool:
        with self._lost_lock:
            if self._stop.is_set():
                return False
            self._stop.set()
        log.warn("worker_lost_its_leases", worker=self._worker_id, why=why)
        self._on_lost()
        return True
