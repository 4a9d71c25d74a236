"""Dramatiq on Redis through its own command, with its default of 8 threads in a process."""

from __future__ import annotations

import os

import dramatiq
import redis
from dramatiq.brokers.redis import RedisBroker
from dramatiq.cli import main, make_argument_parser

from bench.contestants import tally
from bench.contestants.verbs import BULK, TEXT, play

dramatiq.set_broker(RedisBroker(url=os.environ["BENCH_URL"]))


@dramatiq.actor(actor_name="no-op")
def handle(text: str) -> None:  # noqa: ARG001 (the payload)
    """Do nothing."""
    tally.no_op()


class DramatiqClient:
    """Sends through the library; counts and clears in Redis."""

    def __init__(self, url: str) -> None:
        self._redis = redis.Redis.from_url(url)

    def enqueue(self, jobs: int) -> None:
        """One message per job."""
        for _ in range(jobs):
            handle.send(TEXT)

    def enqueue_bulk(self, calls: int) -> None:
        """The library has no call that sends many."""
        self.enqueue(calls * BULK)

    def left(self) -> int:
        """Messages kept until they are acknowledged."""
        return int(self._redis.hlen("dramatiq:default.msgs"))

    def clear(self) -> None:
        """Empty this database of the server."""
        self._redis.flushdb()


def work(_url: str, processes: int) -> None:
    """The library's command, which forks so many processes."""
    tally.await_go()
    main(make_argument_parser().parse_args([__spec__.name, f"--processes={processes}", "--path=."]))


if __name__ == "__main__":
    play(DramatiqClient, work)
