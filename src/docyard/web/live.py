"""Live notifications: one database listener that notifies each open page of changes in its workspace."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from uuid import UUID

import psycopg

from docyard import clock, log
from docyard.db import BoundedConnection, Database
from docyard.errors import Unavailable

CHANNEL = "docyard_documents"
WHOLE_LIST = ""  # sent instead of a document id: the page must reload the whole list
_MAX_PENDING = 100
_COALESCE_SECONDS = 0.1
_CHECK_PERIOD = 15.0  # seconds; a connection without notifications may also be one that no longer works
_POLL_SECONDS = 0.5  # how often the listener checks whether to stop
_MIN_BACKOFF, _MAX_BACKOFF = 0.25, 10.0  # seconds


class Subscription:
    """The pending changes of one open page, limited in number so that a slow client uses little memory."""

    def __init__(self, workspace_id: UUID) -> None:
        self.workspace_id = workspace_id
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._pending: dict[str, None] = {}
        self.closed = False

    def add(self, document: str) -> None:
        """Add a changed document; thread-safe."""
        with suppress(RuntimeError):  # the event loop is closed
            self._loop.call_soon_threadsafe(self._add, document)

    def close(self) -> None:
        """Close the subscription and wake its stream; thread-safe."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._close)

    async def changes(self, seconds: float) -> list[str]:
        """Wait up to `seconds` for changes and return them, each document once."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), seconds)
        if self._pending and not self.closed:
            await asyncio.sleep(_COALESCE_SECONDS)
        changed = list(self._pending)
        self._pending.clear()
        if not self.closed:
            self._wake.clear()
        return changed

    def _add(self, document: str) -> None:
        self._pending[document] = None
        if len(self._pending) > _MAX_PENDING:
            self._pending = {WHOLE_LIST: None}
        self._wake.set()

    def _close(self) -> None:
        self.closed = True
        self._wake.set()


class Hub:
    """A thread that listens for changes and notifies the subscriptions of the changed workspace."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._lock = threading.Lock()
        self._subscriptions: set[Subscription] = set()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="docyard-live", daemon=True)

    def start(self) -> None:
        """Start the listener thread."""
        self._thread.start()

    def close_subscriptions(self) -> None:
        """Close all subscriptions, which would delay shutdown, and signal the listener thread to stop."""
        self._stopping.set()
        for subscription in self._snapshot():
            subscription.close()

    def stop(self) -> None:
        """Close all subscriptions and stop the listener thread."""
        self.close_subscriptions()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    @contextmanager
    def subscribe(self, workspace_id: UUID) -> Iterator[Subscription]:
        """Subscribe to the changes of a workspace until the context ends."""
        subscription = Subscription(workspace_id)
        with self._lock:
            self._subscriptions.add(subscription)
        if self._stopping.is_set():
            subscription.close()
        try:
            yield subscription
        finally:
            with self._lock:
                self._subscriptions.discard(subscription)

    def _run(self) -> None:
        backoff = _MIN_BACKOFF
        while not self._stopping.is_set():
            try:
                with self._db.connect("listener") as conn:
                    conn.execute(f"LISTEN {CHANNEL}")
                    backoff = _MIN_BACKOFF
                    self._listen(conn)
            except (Unavailable, psycopg.Error) as error:
                log.warn("live_events_lost", error=str(error), again_in=backoff)
                self._stopping.wait(backoff)
                backoff = min(backoff * 2, _MAX_BACKOFF)

    def _listen(self, conn: BoundedConnection) -> None:
        # Notifications before LISTEN were missed, so every page must reload its list.
        for subscription in self._snapshot():
            subscription.add(WHOLE_LIST)
        checked_at = clock.monotonic()
        while not self._stopping.is_set():
            for notice in conn.notifies(timeout=_POLL_SECONDS):
                self._notify(notice.payload)
            if clock.monotonic() - checked_at > _CHECK_PERIOD:
                conn.check()
                checked_at = clock.monotonic()

    def _notify(self, payload: str) -> None:
        workspace, _, document = payload.partition(":")
        for subscription in self._snapshot():
            if str(subscription.workspace_id) == workspace:
                subscription.add(document)

    def _snapshot(self) -> list[Subscription]:
        with self._lock:
            return list(self._subscriptions)
