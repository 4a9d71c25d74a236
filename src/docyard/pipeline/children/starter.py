"""The thread that starts child processes.

The kernel sends the parent-death signal when the thread that started the child ends, not when its process
ends. Callers' threads are short-lived, so children are started by a thread that lives as long as the pool.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from queue import SimpleQueue

from docyard.model.limits import Limits
from docyard.pipeline.children.process import Child


class Starter:
    """A thread that starts children for all other threads."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._requests: SimpleQueue[Future[Child] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="docyard-children", daemon=True)
        self._lock = threading.Lock()

    def start(self) -> Child:
        """Start a child and return it; it is not ready yet."""
        with self._lock:
            if not self._thread.ident:
                self._thread.start()
        request: Future[Child] = Future()
        self._requests.put(request)
        return request.result()

    def close(self) -> None:
        """End the thread; all children must have ended already."""
        if self._thread.ident:
            self._requests.put(None)
            self._thread.join()

    def _serve(self) -> None:
        while (request := self._requests.get()) is not None:
            try:
                request.set_result(Child(self._limits.child_memory_bytes, self._limits.embedding_model))
            except BaseException as error:  # noqa: BLE001 - raised in the thread that waits
                request.set_exception(error)
