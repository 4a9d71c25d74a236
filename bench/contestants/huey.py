"""Huey on Redis with worker processes and its default blocking queue."""

from __future__ import annotations

import os

from huey import RedisHuey

from bench.contestants import tally
from bench.contestants.verbs import BULK, TEXT, play

queue = RedisHuey("bench", url=os.environ["BENCH_URL"])


@queue.task(name="no-op")
def handle(text: str) -> None:  # noqa: ARG001 (the payload)
    """Do nothing."""
    tally.no_op()


class HueyClient:
    """Enqueues and counts through the library."""

    def __init__(self, _url: str) -> None:
        pass

    def enqueue(self, jobs: int) -> None:
        """One message per job."""
        for _ in range(jobs):
            handle(TEXT)

    def enqueue_bulk(self, calls: int) -> None:
        """The library has no call that adds many."""
        self.enqueue(calls * BULK)

    def left(self) -> int:
        """Waiting messages; the library does not keep those that run."""
        return int(queue.pending_count())

    def clear(self) -> None:
        """Empty the queue."""
        queue.flush()


def work(_url: str, processes: int) -> None:
    """One consumer that forks so many workers."""
    tally.await_go()
    queue.create_consumer(workers=processes, worker_type="process").run()


if __name__ == "__main__":
    play(HueyClient, work)
