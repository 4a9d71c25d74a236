"""Oban for Python with a queue limit of 100 on uvloop, as its own command runs it."""

from __future__ import annotations

import asyncio
from typing import Any

import psycopg
import uvloop
from oban import Oban, worker
from oban.schema import install

from bench.contestants import tally
from bench.contestants.protocol import BATCH, BULK, TEXT, run_role

_UNFINISHED = "SELECT count(*) FROM oban_jobs WHERE state IN ('available', 'scheduled', 'executing', 'retryable')"


@worker(queue="default")
class NoOp:
    """The no-op job."""

    async def process(self, _job: Any) -> None:
        """Do nothing."""
        tally.count_start()
        if tally.HANG:
            await asyncio.Event().wait()


class ObanClient:
    """Client that enqueues through the library, and counts and clears by SQL."""

    def __init__(self, url: str) -> None:
        self._conn = psycopg.connect(url, autocommit=True)
        self._loop = uvloop.new_event_loop()
        self._oban: Any = self._loop.run_until_complete(self._open(url))

    async def _open(self, url: str) -> Any:
        pool = await Oban.create_pool(url)
        found = self._conn.execute("SELECT to_regclass('oban_jobs')").fetchone()
        if not found or found[0] is None:
            await install(pool)
        return await Oban(pool=pool).start()

    def enqueue(self, jobs: int) -> None:
        """Add one job per call."""

        async def add() -> None:
            for _ in range(jobs):
                await self._oban.enqueue(NoOp.new({"text": TEXT}))  # type: ignore[attr-defined]

        self._loop.run_until_complete(add())

    def enqueue_bulk(self, calls: int) -> None:
        """Add a thousand jobs per call."""

        async def add() -> None:
            for _ in range(calls):
                jobs = [NoOp.new({"text": TEXT}) for _ in range(BULK)]  # type: ignore[attr-defined]
                await self._oban.enqueue_many(jobs)

        self._loop.run_until_complete(add())

    def count_unfinished(self) -> int:
        """Return the number of jobs in a non-final state."""
        row = self._conn.execute(_UNFINISHED).fetchone()
        return int(row[0]) if row else 0

    def clear(self) -> None:
        """Delete all jobs, including finished ones, which are in the same table."""
        self._conn.execute("TRUNCATE oban_jobs")


def work(url: str, _processes: int) -> None:
    """Run one node in this process."""

    async def run() -> None:
        pool = await Oban.create_pool(url)
        tally.await_go()
        async with Oban(pool=pool, queues={"default": BATCH}):
            await asyncio.Event().wait()

    uvloop.run(run())


if __name__ == "__main__":
    run_role(ObanClient, work)
