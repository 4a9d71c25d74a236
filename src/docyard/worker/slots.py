"""The slots of a worker: threads that run leased jobs, started when first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

from docyard.model.connections import is_connection_pool
from docyard.model.jobs import Lease


class Slots:
    """Threads for jobs that compute, and others for those that wait for a model, so that both go on."""

    def __init__(self, computing: int, asking: int, run: Callable[[Lease], None]) -> None:
        self._computing = _Threads("slot", computing, run)
        self._asking = _Threads("asking", asking, run)

    def start(self, lease: Lease) -> None:
        """Run a job as soon as a slot of its kind is free."""
        (self._asking if is_connection_pool(lease.pool) else self._computing).start(lease)

    def close(self) -> None:
        """Wait for what runs and end."""
        self._computing.close()
        self._asking.close()


class _Threads:
    """So many threads at most; an executor would make a future for each job that nobody reads."""

    def __init__(self, name: str, count: int, run: Callable[[Lease], None]) -> None:
        self._name = name
        self._count = count
        self._run = run
        self._waiting: SimpleQueue[Lease | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def start(self, lease: Lease) -> None:
        if len(self._threads) < self._count:
            name = f"{self._name}-{len(self._threads)}"
            thread = threading.Thread(target=self._serve, name=name, daemon=True)
            self._threads.append(thread)
            thread.start()
        self._waiting.put(lease)

    def close(self) -> None:
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        while (lease := self._waiting.get()) is not None:
            self._run(lease)
