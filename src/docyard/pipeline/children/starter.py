"""The one thread that starts children.

The signal that ends a child with its parent really fires when the thread that started it ends. Callers'
threads come and go, so children are started by a thread that lives as long as the process.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from queue import SimpleQueue

from docyard.model.limits import Limits
from docyard.pipeline.children.process import Child


class Starter:
    """Starts children on request of any thread."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._orders: SimpleQueue[Future[Child] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="docyard-children", daemon=True)
        self._lock = threading.Lock()

    def start(self) -> Child:
        """A new child, not yet ready."""
        with self._lock:
            if not self._thread.ident:
                self._thread.start()
        order: Future[Child] = Future()
        self._orders.put(order)
        return order.result()

    def close(self) -> None:
        """End the thread; every child it started must be gone by then."""
        if self._thread.ident:
            self._orders.put(None)
            self._thread.join()

    def _serve(self) -> None:
        while (order := self._orders.get()) is not None:
            try:
                order.set_result(Child(self._limits.child_memory_bytes, self._limits.embedding_model))
            except BaseException as error:  # noqa: BLE001 - it belongs to the thread that waits
                order.set_exception(error)
