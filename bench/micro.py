"""The cost of single operations of Docyard's queue, without a worker."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from uuid import UUID, uuid4

from bench.contestants.docyard import POOL, make_jobs
from docyard import queue
from docyard.db import Database
from docyard.model.jobs import Completion, Worker
from docyard.pipeline.pools import install

BATCHES = (1, 10, 100)
BACKLOGS = (1_000, 10_000, 100_000)
LANES = (3, 50, 500, 5_000)
_CLAIMS = 60
_SETTLED_JOBS = 3_000


def operations(url: str) -> Iterator[tuple[str, str]]:
    """Measure all operations, and yield each with its cost."""
    db, worker = _open(url)
    yield "enqueue, one job per transaction", f"{_enqueue_rate(db, 1, 300):,.0f} jobs/s"
    yield "enqueue, 1,000 jobs per transaction", f"{_enqueue_rate(db, 1000, 20):,.0f} jobs/s"
    for batch in BATCHES:
        yield f"claim and settle, batches of {batch}", f"{_claim_and_settle(db, worker, batch):,.0f} jobs/s"
    yield from _compare("claim of 10, pending jobs", {n: _claim_cost(db, worker, n, 3) for n in BACKLOGS})
    yield from _compare("claim of 10, lanes", {n: _claim_cost(db, worker, 20_000, n) for n in LANES})
    db.close()


def _open(url: str) -> tuple[Database, UUID]:
    """Return the migrated database and the id of a worker whose lease lasts longer than the benchmark."""
    db = Database(lambda: url)
    with db.connect() as conn:
        install(conn)
    worker = Worker(uuid4(), "bench", 0, (POOL,), 1, 3600.0)
    with db.transaction() as conn:
        queue.ensure_partitions(conn)
        queue.register(conn, worker)
    return db, worker.id


def _compare(title: str, costs: dict[int, float]) -> Iterator[tuple[str, str]]:
    """Yield a row per size, with the ratio to the first."""
    first = next(iter(costs.values()))
    for size, cost in costs.items():
        yield f"{title} {size:,}", f"{cost:.2f} ms, {cost / first:.2f} ×"


def _add_workspaces(db: Database, count: int) -> list[UUID]:
    ids = [uuid4() for _ in range(count)]
    with db.transaction() as conn, conn.cursor() as cursor:
        rows = [(one, str(one)) for one in ids]
        cursor.executemany("INSERT INTO workspaces (id, name) VALUES (%s, %s)", rows)
    return ids


def _enqueue_rate(db: Database, batch: int, rounds: int) -> float:
    jobs = make_jobs(_add_workspaces(db, 1), batch)
    started = time.perf_counter()
    for _ in range(rounds):
        with db.transaction() as conn:
            queue.enqueue(conn, jobs)
    return batch * rounds / (time.perf_counter() - started)


def _claim_and_settle(db: Database, worker: UUID, batch: int) -> float:
    """Return jobs per second; each batch is claimed in one transaction and settled in another."""
    _fill(db, _SETTLED_JOBS, 3)
    done, started = 0, time.perf_counter()
    while done < min(_SETTLED_JOBS, batch * 200):
        with db.statement() as conn:
            leases = queue.claim(conn, POOL, worker, batch)
        with db.transaction() as conn:
            done += len(queue.settle(conn, [Completion(lease) for lease in leases]))
    return done / (time.perf_counter() - started)


def _claim_cost(db: Database, worker: UUID, pending: int, lanes: int) -> float:
    """Return the median milliseconds of a claim of 10 jobs with this many pending jobs and lanes."""
    _fill(db, pending, max(1, lanes // 3))
    costs = []
    for _ in range(_CLAIMS):
        started = time.perf_counter()
        with db.statement() as conn:
            queue.claim(conn, POOL, worker, 10)
        costs.append(time.perf_counter() - started)
    return statistics.median(costs) * 1000


def _fill(db: Database, count: int, tenants: int) -> None:
    """Empty the queue and enqueue this many jobs for this many tenants."""
    with db.transaction() as conn:
        conn.execute("TRUNCATE jobs, lanes, pool_tiers, tallies")
    ids = _add_workspaces(db, tenants)
    for start in range(0, count, 10_000):
        with db.transaction() as conn:
            queue.enqueue(conn, make_jobs(ids, min(10_000, count - start)))
    with db.connect() as conn:
        conn.execute("VACUUM ANALYZE jobs")
