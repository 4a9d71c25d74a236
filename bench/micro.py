"""What single operations of Docyard's queue cost, without a worker around them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from uuid import UUID, uuid4

from bench.contestants.docyard import POOL, no_ops
from docyard import queue
from docyard.db import Database
from docyard.model.jobs import Done, Worker
from docyard.pipeline.pools import install

BATCHES = (1, 10, 100)
BACKLOGS = (1_000, 10_000, 100_000)
LANES = (3, 50, 500, 5_000)
_CLAIMS = 60
_BURNED = 3_000


def operations(url: str) -> Iterator[tuple[str, str]]:
    """Each operation with its cost, as they are measured."""
    db, worker = _opened(url)
    yield "enqueue, one job a transaction", f"{_enqueue_rate(db, 1, 300):,.0f} jobs/s"
    yield "enqueue, 1,000 jobs a transaction", f"{_enqueue_rate(db, 1000, 20):,.0f} jobs/s"
    for batch in BATCHES:
        yield f"claim and settle, batches of {batch}", f"{_claim_and_settle(db, worker, batch):,.0f} jobs/s"
    yield from _compared("claim of 10, jobs waiting", {n: _claim_cost(db, worker, n, 3) for n in BACKLOGS})
    yield from _compared("claim of 10, lanes", {n: _claim_cost(db, worker, 20_000, n) for n in LANES})
    db.close()


def _opened(url: str) -> tuple[Database, UUID]:
    """The migrated database and a worker whose lease outlasts the benchmark."""
    db = Database(lambda: url)
    with db.connect() as conn:
        install(conn)
    worker = Worker(uuid4(), "bench", 0, (POOL,), 1, 3600.0)
    with db.transaction() as conn:
        queue.ensure_partitions(conn)
        queue.register(conn, worker)
    return db, worker.id


def _compared(title: str, costs: dict[int, float]) -> Iterator[tuple[str, str]]:
    """One line per size, with its ratio to the first."""
    first = next(iter(costs.values()))
    for size, cost in costs.items():
        yield f"{title} {size:,}", f"{cost:.2f} ms, {cost / first:.2f} ×"


def _workspaces(db: Database, count: int) -> list[UUID]:
    ids = [uuid4() for _ in range(count)]
    with db.transaction() as conn, conn.cursor() as cursor:
        rows = [(one, str(one)) for one in ids]
        cursor.executemany("INSERT INTO workspaces (id, name) VALUES (%s, %s)", rows)
    return ids


def _enqueue_rate(db: Database, batch: int, rounds: int) -> float:
    jobs = no_ops(_workspaces(db, 1), batch)
    began = time.perf_counter()
    for _ in range(rounds):
        with db.transaction() as conn:
            queue.enqueue(conn, jobs)
    return batch * rounds / (time.perf_counter() - began)


def _claim_and_settle(db: Database, worker: UUID, batch: int) -> float:
    """Jobs a second out of the queue: claimed in one transaction, settled in another."""
    _fill(db, _BURNED, 3)
    done, began = 0, time.perf_counter()
    while done < min(_BURNED, batch * 200):
        with db.statement() as conn:
            leases = queue.claim(conn, POOL, worker, batch)
        with db.transaction() as conn:
            done += len(queue.settle(conn, [Done(lease) for lease in leases]))
    return done / (time.perf_counter() - began)


def _claim_cost(db: Database, worker: UUID, waiting: int, lanes: int) -> float:
    """Median milliseconds of one claim of 10."""
    _fill(db, waiting, max(1, lanes // 3))
    costs = []
    for _ in range(_CLAIMS):
        began = time.perf_counter()
        with db.statement() as conn:
            queue.claim(conn, POOL, worker, 10)
        costs.append(time.perf_counter() - began)
    return statistics.median(costs) * 1000


def _fill(db: Database, count: int, tenants: int) -> None:
    """Let exactly so many jobs of so many tenants wait."""
    with db.transaction() as conn:
        conn.execute("TRUNCATE jobs, lanes, pool_tiers, tallies")
    ids = _workspaces(db, tenants)
    for start in range(0, count, 10_000):
        with db.transaction() as conn:
            queue.enqueue(conn, no_ops(ids, min(10_000, count - start)))
    with db.connect() as conn:
        conn.execute("VACUUM ANALYZE jobs")
