"""The slots of a worker: threads that run leased jobs, started when first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

from docyard.model.jobs import Lease


class Slots:
    """So many threads at most; an executor would make a future for each job that nobody reads."""

    def __init__(self, count: int, run: Callable[[Lease], None]) -> None:
        self._count = count
        self._run = run
        self._waiting: SimpleQueue[Lease | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def start(self, lease: Lease) -> None:
        """Run a job as soon as a slot is free."""
        if len(self._threads) < self._count:
            thread = threading.Thread(target=self._serve, name=f"slot-{len(self._threads)}", daemon=True)
            self._threads.append(thread)
            thread.start()
        self._waiting.put(lease)

    def close(self) -> None:
        """Wait for what runs and end."""
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        while (lease := self._waiting.get()) is not None:
            self._run(lease)
