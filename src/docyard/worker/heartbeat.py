"""The heartbeat of a worker, sent from its own thread and connection so that it works under load."""

from __future__ import annotations

import threading
from collections.abc import Callable
from uuid import UUID

from docyard import clock, log, queue
from docyard.db import LOCK_ERRORS, Connection, Database
from docyard.model.timeouts import HEARTBEATS_PER_LEASE

_STATEMENT_SECONDS, _LOCK_SECONDS = 5.0, 2.0
# Seconds without a completed round of the main loop until its connections are replaced, and until the worker gives
# up its id and starts again. A round with all its duties takes a few seconds.
_RESTART_CONNECTIONS_AFTER, _RESTART_SESSION_AFTER = 60.0, 90.0
_END_PROCESS_AFTER = 180.0  # since the loss of the leases; the longest call of a job ends earlier


class Heartbeat:
    """A sender and a watchdog thread, which call `on_lost` once if the leases of the worker are lost.

    The watchdog also replaces the connections of a worker whose main loop makes no progress, then declares its
    leases lost, and calls `end_process` if even that does not end the session.
    """

    def __init__(
        self,
        db: Database,
        worker_id: UUID,
        lease_seconds: float,
        on_lost: Callable[[], None],
        end_process: Callable[[], None],
    ) -> None:
        self._db = db
        self._worker_id = worker_id
        self._lease_seconds = lease_seconds
        self._interval = lease_seconds / HEARTBEATS_PER_LEASE
        self._on_lost = on_lost
        self._end_process = end_process
        self._sent_at = self._progress_at = clock.monotonic()
        self._restarted_at = float("-inf")
        self._stop = threading.Event()
        self._ended = threading.Event()
        self._lost_lock = threading.Lock()
        self._lost = False
        self._sender = threading.Thread(target=self._send_all, name="heartbeat", daemon=True)
        self._watchdog = threading.Thread(target=self._watch, name="heartbeat-watch", daemon=True)

    def start(self) -> None:
        """Start the threads."""
        self._sender.start()
        self._watchdog.start()

    def stop(self) -> None:
        """Stop the threads; wait at most five seconds for each."""
        self._stop.set()
        self._ended.set()
        self._sender.join(timeout=5)
        self._watchdog.join(timeout=5)

    def note_progress(self) -> None:
        """Note that the main loop has completed a round."""
        self._progress_at = clock.monotonic()

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
            conn = conn or self._connect()
            if self._record(conn):
                self._sent_at = clock.monotonic()
            else:
                self._declare_lost("another worker declared it lost")
        except Exception as error:  # noqa: BLE001 (any error is a missed heartbeat)
            log.warn("heartbeat_missed", worker=self._worker_id, error=str(error).strip())
            if conn is not None:
                conn.close()
            return None
        return conn

    def _connect(self) -> Connection:
        lock_seconds = min(_LOCK_SECONDS, self._interval / 2)
        return self._db.connect("heartbeat", statement_seconds=_STATEMENT_SECONDS, lock_seconds=lock_seconds)

    def _record(self, conn: Connection) -> bool:
        """Record a heartbeat; return False if the worker was declared lost.

        If another transaction has locked the row of the worker, the heartbeat is kept elsewhere until the lock ends.
        """
        idle_seconds = clock.monotonic() - self._progress_at
        try:
            return queue.heartbeat(conn, self._worker_id, idle_seconds)
        except LOCK_ERRORS:
            queue.keep_heartbeat(conn, self._worker_id, idle_seconds)
            log.warn("worker_locked", worker=self._worker_id, why="another transaction has locked its row")
            return True

    def _watch(self) -> None:
        """Declare the leases lost if no heartbeat succeeds for half a lease, or if the main loop makes no progress.

        Neither thread can do this itself: each may block on a connection that no longer responds.
        """
        while not self._stop.wait(min(self._interval, 1.0) / 2):
            now = clock.monotonic()
            # Stop before the lease ends: after that, other workers may take over the jobs.
            if now - self._sent_at >= self._lease_seconds / 2:
                self._lose("no heartbeat reached the database for half a lease")
            elif now - self._progress_at >= _RESTART_SESSION_AFTER:
                self._lose("its main loop made no progress")
            elif now - max(self._progress_at, self._restarted_at) >= _RESTART_CONNECTIONS_AFTER:
                log.warn("worker_without_progress", worker=self._worker_id, seconds=round(now - self._progress_at))
                self._restarted_at = now
                self._db.shut_down_connections()
        if self._lost and not self._ended.wait(_END_PROCESS_AFTER):
            self._end_process()

    def _lose(self, why: str) -> None:
        if self._declare_lost(why):
            self._db.shut_down_connections()

    def _declare_lost(self, why: str) -> bool:
        with self._lost_lock:
            if self._stop.is_set():
                return False
            self._stop.set()
            self._lost = True
        log.warn("worker_lost_its_leases", worker=self._worker_id, why=why)
        self._on_lost()
        return True
