"""Procrastinate with its async connector and BENCH_CONCURRENCY jobs at once in a process."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import psycopg
from procrastinate import App, PsycopgConnector

from bench.contestants import tally
from bench.contestants.verbs import BULK, TEXT, play


async def handle(text: str) -> None:  # noqa: ARG001 (the payload's key)
    """Do nothing."""
    tally.ran()
    if tally.HANG:
        await asyncio.Event().wait()


def app_at(url: str) -> tuple[Any, Any]:
    """The library's app and its one task."""
    app = App(connector=PsycopgConnector(conninfo=url))
    return app, app.task(name="no-op")(handle)


class ProcrastinateClient:
    """Defers through the library; counts and clears by statements of its own."""

    def __init__(self, url: str) -> None:
        self._conn = psycopg.connect(url, autocommit=True)
        self._loop = asyncio.new_event_loop()
        self._app, self._task = app_at(url)
        self._loop.run_until_complete(self._open())

    async def _open(self) -> None:
        await self._app.open_async()
        found = self._conn.execute("SELECT to_regclass('procrastinate_jobs')").fetchone()
        if not found or found[0] is None:
            await self._app.schema_manager.apply_schema_async()

    def enqueue(self, jobs: int) -> None:
        """One call per job."""

        async def add() -> None:
            for _ in range(jobs):
                await self._task.defer_async(text=TEXT)

        self._loop.run_until_complete(add())

    def enqueue_bulk(self, calls: int) -> None:
        """One call per thousand."""

        async def add() -> None:
            for _ in range(calls):
                await self._task.batch_defer_async(*[{"text": TEXT}] * BULK)

        self._loop.run_until_complete(add())

    def left(self) -> int:
        """Jobs in a state that is not final."""
        row = self._conn.execute(
            "SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')"
        ).fetchone()
        return int(row[0]) if row else 0

    def clear(self) -> None:
        """Empty the jobs and their events."""
        self._conn.execute("TRUNCATE procrastinate_jobs CASCADE")


def work(url: str, _processes: int) -> None:
    """One worker in this process."""

    async def run() -> None:
        app, _ = app_at(url)
        async with app.open_async():
            tally.await_go()
            await app.run_worker_async(concurrency=int(os.environ["BENCH_CONCURRENCY"]))

    asyncio.run(run())


if __name__ == "__main__":
    play(ProcrastinateClient, work)
