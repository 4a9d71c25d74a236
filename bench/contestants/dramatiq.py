"""Dramatiq on Redis, run by its own command with the default of 8 threads per process."""

from __future__ import annotations

import os

import dramatiq
import redis
from dramatiq.brokers.redis import RedisBroker
from dramatiq.cli import main, make_argument_parser

from bench.contestants import tally
from bench.contestants.protocol import BULK, TEXT, run_role

dramatiq.set_broker(RedisBroker(url=os.environ["BENCH_URL"]))


@dramatiq.actor(actor_name="no-op")
def handle(text: str) -> None:  # noqa: ARG001 (the payload)
    """Do nothing."""
    tally.no_op()


class DramatiqClient:
    """Client that enqueues through the library, and counts and clears in Redis."""

    def __init__(self, url: str) -> None:
        self._redis = redis.Redis.from_url(url)

    def enqueue(self, jobs: int) -> None:
        """Send one message per job."""
        for _ in range(jobs):
            handle.send(TEXT)

    def enqueue_bulk(self, calls: int) -> None:
        """Send jobs individually, because the library has no bulk call."""
        self.enqueue(calls * BULK)

    def count_unfinished(self) -> int:
        """Return the number of unacknowledged messages."""
        return int(self._redis.hlen("dramatiq:default.msgs"))

    def clear(self) -> None:
        """Empty the Redis database."""
        self._redis.flushdb()


def work(_url: str, processes: int) -> None:
    """Run the library's command, which forks this many processes."""
    tally.await_go()
    main(make_argument_parser().parse_args([__spec__.name, f"--processes={processes}", "--path=."]))


if __name__ == "__main__":
    run_role(DramatiqClient, work)
