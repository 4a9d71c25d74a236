"""Docyard as it is shipped: its enqueue, and its worker with leases, heartbeat, fences and settlement."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from uuid import UUID, uuid4

from bench.contestants import tally
from bench.contestants.verbs import BATCH, BULK, TEXT, play
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
from docyard.worker.settlements import Finished
from docyard.worker.stopping import Stopping

POOL = "fetch"
TENANTS = 3
_CONNECTIONS = 11  # what `docyard worker` opens for a hundred slots


class DocyardClient:
    """Enqueues for three tenants in all three tiers, so that the claim has lanes to be fair between."""

    def __init__(self, url: str) -> None:
        self._db = Database(lambda: url)
        with self._db.connect() as conn:
            install(conn)
        with self._db.transaction() as conn:
            queue.ensure_partitions(conn)
        self._tenants = [uuid4() for _ in range(TENANTS)]
        with self._db.transaction() as conn, conn.cursor() as cursor:
            rows = [(one, str(one)) for one in self._tenants]
            cursor.executemany("INSERT INTO workspaces (id, name) VALUES (%s, %s)", rows)

    def enqueue(self, jobs: int) -> None:
        """One transaction per job."""
        for job in no_ops(self._tenants, jobs):
            with self._db.transaction() as conn:
                queue.enqueue(conn, [job])

    def enqueue_bulk(self, calls: int) -> None:
        """One transaction per thousand."""
        jobs = no_ops(self._tenants, BULK)
        for _ in range(calls):
            with self._db.transaction() as conn:
                queue.enqueue(conn, jobs)

    def left(self) -> int:
        """Live jobs; finished ones are in the history."""
        with self._db.statement() as conn:
            row = conn.execute("SELECT count(*) AS n FROM jobs").fetchone()
        return int(row["n"]) if row else 0

    def clear(self) -> None:
        """Empty the queue and its history."""
        with self._db.transaction() as conn:
            conn.execute("TRUNCATE jobs, lanes, pool_tiers, job_history, tallies")


def no_ops(tenants: list[UUID], count: int) -> list[NewJob]:
    """Jobs spread over tiers and tenants."""
    payload = {"text": TEXT}
    return [
        NewJob(tenants[n // 3 % len(tenants)], POOL, "no-op", tier=Tier(n % 3), payload=payload)
        for n in range(count)
    ]


def handle(_pipeline: Pipeline, _lease: Lease, _lost: Callable[[], bool]) -> Finished:
    """Do nothing; the worker settles it together with others."""
    tally.no_op()
    return Finished()


def work(url: str, _processes: int) -> None:
    """The real worker, with a hundred slots and the default lease."""
    log.configure("WARNING", as_json=False)
    HANDLERS["no-op"] = handle
    stopping = Stopping()
    stopping.on_signals()
    limits = Limits()
    with tempfile.TemporaryDirectory() as folder:
        db, children = Database(lambda: url, size=_CONNECTIONS), ChildPool(BATCH, limits)
        pipeline = Pipeline(db, FolderBlobs(Path(folder)), children, limits)
        tally.await_go()
        run_worker(pipeline, WorkerOptions(slots=BATCH, batch_size=BATCH), stopping)
        children.close()
        db.close()


if __name__ == "__main__":
    play(DocyardClient, work)
