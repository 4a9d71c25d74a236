"""Celery on Redis with its prefork pool and defaults, but for results, which nobody reads."""

from __future__ import annotations

import os

import redis
from celery import Celery

from bench.contestants import tally
from bench.contestants.verbs import BULK, TEXT, play

app = Celery("bench", broker=os.environ["BENCH_URL"])
app.conf.update(task_ignore_result=True)


@app.task(name="no-op")
def handle(text: str) -> None:  # noqa: ARG001 (the payload)
    """Do nothing."""
    tally.no_op()


class CeleryClient:
    """Sends through the library; counts and clears in Redis."""

    def __init__(self, url: str) -> None:
        self._redis = redis.Redis.from_url(url)

    def enqueue(self, jobs: int) -> None:
        """One message per job."""
        for _ in range(jobs):
            handle.delay(TEXT)

    def enqueue_bulk(self, calls: int) -> None:
        """The library sends a group one by one, too."""
        self.enqueue(calls * BULK)

    def left(self) -> int:
        """Waiting and unacknowledged messages."""
        return int(self._redis.llen("celery")) + int(self._redis.hlen("unacked"))

    def clear(self) -> None:
        """Empty this database of the server."""
        self._redis.flushdb()


def work(_url: str, processes: int) -> None:
    """One worker that forks so many children."""
    tally.await_go()
    app.worker_main(["worker", f"--concurrency={processes}", "--loglevel=WARNING"])


if __name__ == "__main__":
    play(CeleryClient, work)
