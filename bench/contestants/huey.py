"""Huey on Redis, with worker processes and its default blocking queue."""

from __future__ import annotations

import os

from huey import RedisHuey

from bench.contestants import tally
from bench.contestants.protocol import BULK, TEXT, run_role

queue = RedisHuey("bench", url=os.environ["BENCH_URL"])


@queue.task(name="no-op")
def handle(text: str) -> None:  # noqa: ARG001 (the payload)
    """Do nothing."""
    tally.no_op()


class HueyClient:
    """Client that enqueues and counts through the library."""

    def __init__(self, _url: str) -> None:
        pass

    def enqueue(self, jobs: int) -> None:
        """Send one message per job."""
        for _ in range(jobs):
            handle(TEXT)

    def enqueue_bulk(self, calls: int) -> None:
        """Send jobs individually, because the library has no bulk call."""
        self.enqueue(calls * BULK)

    def count_unfinished(self) -> int:
        """Return the number of pending messages; the library does not store running ones."""
        return int(queue.pending_count())

    def clear(self) -> None:
        """Empty the queue."""
        queue.flush()


def work(_url: str, processes: int) -> None:
    """Run a consumer that forks this many workers."""
    tally.await_go()
    queue.create_consumer(workers=processes, worker_type="process").run()


if __name__ == "__main__":
    run_role(HueyClient, work)
