"""The slots of a worker: threads that run leased jobs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

from docyard.model.connections import is_connection_pool
from docyard.model.jobs import Lease


class Slots:
    """Separate threads for jobs that compute and jobs that call an LLM, so that neither blocks the other."""

    def __init__(self, computing: int, llm: int, run: Callable[[Lease], None]) -> None:
        self._computing = _Threads("slot", computing, run)
        self._llm = _Threads("llm", llm, run)

    def start(self, lease: Lease) -> None:
        """Run a job as soon as a slot of its kind is free."""
        (self._llm if is_connection_pool(lease.pool) else self._computing).start(lease)

    def close(self) -> None:
        """Wait for the running jobs and end the threads."""
        self._computing.close()
        self._llm.close()


class _Threads:
    """At most `count` threads, started when needed; an executor would create an unused future per job."""

    def __init__(self, name: str, count: int, run: Callable[[Lease], None]) -> None:
        self._name = name
        self._count = count
        self._run = run
        self._queue: SimpleQueue[Lease | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def start(self, lease: Lease) -> None:
        if len(self._threads) < self._count:
            name = f"{self._name}-{len(self._threads)}"
            thread = threading.Thread(target=self._serve, name=name, daemon=True)
            self._threads.append(thread)
            thread.start()
        self._queue.put(lease)

    def close(self) -> None:
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        while (lease := self._queue.get()) is not None:
            self._run(lease)
