"""News of documents, from one listening connection to every watching page of their workspace."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from uuid import UUID

import psycopg

from docyard import log
from docyard.db import Database
from docyard.errors import Unavailable

CHANNEL = "docyard_documents"
WHOLE_LIST = ""  # in place of a document's id: look at the list again
_MOST_PENDING = 100
_COALESCE_SECONDS = 0.1
_LOOK_SECONDS = 0.5  # how often the listener looks whether it should stop
_SHORTEST_BACKOFF, _LONGEST_BACKOFF = 0.25, 10.0


class Subscription:
    """What one watcher has not been told yet; bounded, so that a slow one costs nothing."""

    def __init__(self, workspace_id: UUID) -> None:
        self.workspace_id = workspace_id
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._pending: dict[str, None] = {}
        self.closed = False

    def offer(self, document: str) -> None:
        """Called from any thread."""
        with suppress(RuntimeError):  # the loop ended while we were about to tell it
            self._loop.call_soon_threadsafe(self._add, document)

    def close(self) -> None:
        """Let the watcher go; called from any thread."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._close)

    async def changes(self, seconds: float) -> list[str]:
        """What changed, each document once; empty when nothing did for so long, or when closed."""
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
        if len(self._pending) > _MOST_PENDING:
            self._pending = {WHOLE_LIST: None}
        self._wake.set()

    def _close(self) -> None:
        self.closed = True
        self._wake.set()


class Hub:
    """Listens in a thread of its own and tells the subscribers of the workspace, and no others."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._lock = threading.Lock()
        self._subscriptions: set[Subscription] = set()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="docyard-live", daemon=True)

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def release(self) -> None:
        """Let every watcher go, so that none keeps the server from stopping."""
        self._stopping.set()
        for subscription in self._all():
            subscription.close()

    def stop(self) -> None:
        """Stop listening."""
        self.release()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    @contextmanager
    def subscribed(self, workspace_id: UUID) -> Iterator[Subscription]:
        """Watch one workspace while inside."""
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
        backoff = _SHORTEST_BACKOFF
        while not self._stopping.is_set():
            try:
                with self._db.connect() as conn:
                    conn.execute(f"LISTEN {CHANNEL}")
                    backoff = _SHORTEST_BACKOFF
                    self._listen(conn)
            except (Unavailable, psycopg.Error) as error:
                log.warn("live_events_lost", error=str(error), again_in=backoff)
                self._stopping.wait(backoff)
                backoff = min(backoff * 2, _LONGEST_BACKOFF)

    def _listen(self, conn: psycopg.Connection[dict[str, object]]) -> None:
        # Whatever happened before we listened went unheard.
        for subscription in self._all():
            subscription.offer(WHOLE_LIST)
        while not self._stopping.is_set():
            for notice in conn.notifies(timeout=_LOOK_SECONDS):
                self._tell(notice.payload)

    def _tell(self, payload: str) -> None:
        workspace, _, document = payload.partition(":")
        for subscription in self._all():
            if str(subscription.workspace_id) == workspace:
                subscription.offer(document)

    def _all(self) -> list[Subscription]:
        with self._lock:
            return list(self._subscriptions)
