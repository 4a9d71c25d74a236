"""Celery on Redis with its prefork pool and default settings, except that results are ignored."""

from __future__ import annotations

import os

import redis
from celery import Celery

from bench.contestants import tally
from bench.contestants.protocol import BULK, TEXT, run_role

app = Celery("bench", broker=os.environ["BENCH_URL"])
app.conf.update(task_ignore_result=True)


@app.task(name="no-op")
def handle(text: str) -> None:  # noqa: ARG001 (the payload)
    """Do nothing."""
    tally.no_op()


class CeleryClient:
    """Client that enqueues through the library, and counts and clears in Redis."""

    def __init__(self, url: str) -> None:
        self._redis = redis.Redis.from_url(url)

    def enqueue(self, jobs: int) -> None:
        """Send one message per job."""
        for _ in range(jobs):
            handle.delay(TEXT)

    def enqueue_bulk(self, calls: int) -> None:
        """Send jobs individually, as the library also does for a group."""
        self.enqueue(calls * BULK)

    def count_unfinished(self) -> int:
        """Return the number of pending and unacknowledged messages."""
        return int(self._redis.llen("celery")) + int(self._redis.hlen("unacked"))

    def clear(self) -> None:
        """Empty the Redis database."""
        self._redis.flushdb()


def work(_url: str, processes: int) -> None:
    """Run a worker that forks this many children."""
    tally.await_go()
    app.worker_main(["worker", f"--concurrency={processes}", "--loglevel=WARNING"])


if __name__ == "__main__":
    run_role(CeleryClient, work)
