"""Docyard in its production configuration: enqueue, and a worker with leases, heartbeat and fences."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from uuid import UUID, uuid4

from bench.contestants import tally
from bench.contestants.protocol import BATCH, BULK, TEXT, run_role
from docyard import log, queue
from docyard.db import Database
from docyard.model.jobs import Lease, NewJob
from docyard.model.limits import Limits
from docyard.model.tiers import Tier
from docyard.pipeline.children import ChildPool
from docyard.pipeline.pools import install
from docyard.pipeline.run import Pipeline
from docyard.store.blobs import FolderBlobs
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.execution import HANDLERS
from docyard.worker.settlements import JobResult
from docyard.worker.stop_request import StopRequest

POOL = "fetch"
TENANTS = 3
_CONNECTIONS = 11  # as many as `docyard worker` opens for a hundred slots


class DocyardClient:
    """Client that enqueues for three tenants in all three tiers, so that the fair claim has several lanes."""

    def __init__(self, url: str) -> None:
        self._db = Database(lambda: url)
        with self._db.connect() as owner:
            install(owner)
        with self._db.transaction() as conn:
            queue.ensure_partitions(conn)
        self._tenants = [uuid4() for _ in range(TENANTS)]
        with self._db.transaction() as conn, conn.cursor() as cursor:
            rows = [(one, str(one)) for one in self._tenants]
            cursor.executemany("INSERT INTO workspaces (id, name) VALUES (%s, %s)", rows)

    def enqueue(self, jobs: int) -> None:
        """Add one job per transaction."""
        for job in make_jobs(self._tenants, jobs):
            with self._db.transaction() as conn:
                queue.enqueue(conn, [job])

    def enqueue_bulk(self, calls: int) -> None:
        """Add a thousand jobs per transaction."""
        jobs = make_jobs(self._tenants, BULK)
        for _ in range(calls):
            with self._db.transaction() as conn:
                queue.enqueue(conn, jobs)

    def count_unfinished(self) -> int:
        """Return the number of live jobs; finished ones are in the history."""
        with self._db.statement() as conn:
            row = conn.execute("SELECT count(*) AS n FROM jobs").fetchone()
        return int(row["n"]) if row else 0

    def clear(self) -> None:
        """Empty the queue and its history."""
        with self._db.transaction() as conn:
            conn.execute("TRUNCATE jobs, lanes, pool_tiers, job_history, tallies")


def make_jobs(tenants: list[UUID], count: int) -> list[NewJob]:
    """Return no-op jobs, distributed over tiers and tenants."""
    payload = {"text": TEXT}
    return [
        NewJob(tenants[n // 3 % len(tenants)], POOL, "no-op", tier=Tier(n % 3), payload=payload) for n in range(count)
    ]


def handle(_pipeline: Pipeline, _lease: Lease, _lost: Callable[[], bool]) -> JobResult:
    """Do nothing; the worker settles the job in a batch."""
    tally.no_op()
    return JobResult()


def work(url: str, _processes: int) -> None:
    """Run the production worker with a hundred slots and the default lease."""
    log.configure("WARNING", as_json=False)
    HANDLERS["no-op"] = handle
    stopping = StopRequest()
    stopping.handle_signals()
    limits = Limits()
    with tempfile.TemporaryDirectory() as folder:
        db, children = Database(lambda: url, size=_CONNECTIONS), ChildPool(BATCH, limits)
        blobs = FolderBlobs(Path(folder), uuid4())
        blobs.create()
        pipeline = Pipeline(db, blobs, children, limits)
        tally.await_go()
        run_worker(pipeline, WorkerOptions(slots=BATCH, batch_size=BATCH), stopping)
        children.close()
        db.close()


if __name__ == "__main__":
    run_role(DocyardClient, work)
