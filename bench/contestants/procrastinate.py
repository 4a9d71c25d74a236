"""Procrastinate with its async connector and BENCH_CONCURRENCY concurrent jobs per process."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import psycopg
from procrastinate import App, PsycopgConnector

from bench.contestants import tally
from bench.contestants.protocol import BULK, TEXT, run_role


async def handle(text: str) -> None:  # noqa: ARG001 (the payload's key)
    """Do nothing."""
    tally.count_start()
    if tally.HANG:
        await asyncio.Event().wait()


def make_app(url: str) -> tuple[Any, Any]:
    """Return the library's app and its task."""
    app = App(connector=PsycopgConnector(conninfo=url))
    return app, app.task(name="no-op")(handle)


class ProcrastinateClient:
    """Client that enqueues through the library, and counts and clears by SQL."""

    def __init__(self, url: str) -> None:
        self._conn = psycopg.connect(url, autocommit=True)
        self._loop = asyncio.new_event_loop()
        self._app, self._task = make_app(url)
        self._loop.run_until_complete(self._open())

    async def _open(self) -> None:
        await self._app.open_async()
        found = self._conn.execute("SELECT to_regclass('procrastinate_jobs')").fetchone()
        if not found or found[0] is None:
            await self._app.schema_manager.apply_schema_async()

    def enqueue(self, jobs: int) -> None:
        """Add one job per call."""

        async def add() -> None:
            for _ in range(jobs):
                await self._task.defer_async(text=TEXT)

        self._loop.run_until_complete(add())

    def enqueue_bulk(self, calls: int) -> None:
        """Add a thousand jobs per call."""

        async def add() -> None:
            for _ in range(calls):
                await self._task.batch_defer_async(*[{"text": TEXT}] * BULK)

        self._loop.run_until_complete(add())

    def count_unfinished(self) -> int:
        """Return the number of jobs in a non-final state."""
        row = self._conn.execute("SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')").fetchone()
        return int(row[0]) if row else 0

    def clear(self) -> None:
        """Delete all jobs and their events."""
        self._conn.execute("TRUNCATE procrastinate_jobs CASCADE")


def work(url: str, _processes: int) -> None:
    """Run one worker in this process."""

    async def run() -> None:
        app, _ = make_app(url)
        async with app.open_async():
            tally.await_go()
            await app.run_worker_async(concurrency=int(os.environ["BENCH_CONCURRENCY"]))

    asyncio.run(run())


if __name__ == "__main__":
    run_role(ProcrastinateClient, work)
