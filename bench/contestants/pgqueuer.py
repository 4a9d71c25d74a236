"""PgQueuer with batches of 100 on uvloop, as its own command runs it; BENCH_DRIVER selects the driver."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import uvloop
from pgqueuer import PgQueuer
from pgqueuer.adapters.drivers.asyncpg import AsyncpgDriver
from pgqueuer.adapters.drivers.psycopg import PsycopgDriver
from pgqueuer.queries import Queries

from bench.contestants import tally
from bench.contestants.protocol import BATCH, BULK, TEXT, run_role

_PAYLOAD = f'{{"text": "{TEXT}"}}'.encode()
_BULK = (["no-op"] * BULK, [_PAYLOAD] * BULK, [0] * BULK)


async def open_driver(url: str) -> Any:
    """Return the library's driver with a new connection."""
    if os.environ.get("BENCH_DRIVER") == "psycopg":
        import psycopg

        return PsycopgDriver(await psycopg.AsyncConnection.connect(url, autocommit=True))
    import asyncpg

    return AsyncpgDriver(await asyncpg.connect(url))


class PgQueuerClient:
    """Client that uses the library's queries."""

    def __init__(self, url: str) -> None:
        self._loop = uvloop.new_event_loop()
        self._driver = self._loop.run_until_complete(open_driver(url))
        self._queries = Queries(self._driver)
        self._loop.run_until_complete(self._install())

    async def _install(self) -> None:
        if not await self._queries.has_table("pgqueuer"):
            await self._queries.install()

    def enqueue(self, jobs: int) -> None:
        """Add one job per statement."""

        async def add() -> None:
            for _ in range(jobs):
                await self._queries.enqueue("no-op", _PAYLOAD)

        self._loop.run_until_complete(add())

    def enqueue_bulk(self, calls: int) -> None:
        """Add a thousand jobs per statement."""

        async def add() -> None:
            for _ in range(calls):
                await self._queries.enqueue(*_BULK)

        self._loop.run_until_complete(add())

    def count_unfinished(self) -> int:
        """Return the number of rows in the queue; finished jobs are in the log table."""
        rows = self._loop.run_until_complete(self._driver.fetch("SELECT count(*) AS n FROM pgqueuer"))
        return int(rows[0]["n"])

    def clear(self) -> None:
        """Empty the queue and its log table."""
        self._loop.run_until_complete(self._driver.execute("TRUNCATE pgqueuer, pgqueuer_log"))


async def handle(_job: Any) -> None:
    """Do nothing."""
    tally.count_start()
    if tally.HANG:
        await asyncio.Event().wait()


def work(url: str, _processes: int) -> None:
    """Run one queue manager in this process."""

    async def run() -> None:
        worker = PgQueuer(await open_driver(url))
        worker.entrypoint("no-op")(handle)
        tally.await_go()
        await worker.run(batch_size=BATCH)

    uvloop.run(run())


if __name__ == "__main__":
    run_role(PgQueuerClient, work)
