"""The cost of a claim while jobs are uncommitted, and while an old snapshot keeps settled jobs in the indexes.

`python -m bench.hidden_jobs` prints the milliseconds of a claim of ten jobs and the ratio to an undisturbed queue.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from uuid import UUID, uuid4

from bench.contestants.docyard import POOL, make_jobs
from bench.servers import postgres
from docyard import queue
from docyard.db import Database
from docyard.model.jobs import Completion, Worker
from docyard.model.tiers import Tier
from docyard.pipeline.pools import install

Case = Callable[[Database, list[UUID], UUID], AbstractContextManager[None]]
_UNCOMMITTED = int(os.environ.get("UNCOMMITTED", "100000"))
_SETTLED = int(os.environ.get("SETTLED", "200000"))
_CLAIMS = int(os.environ.get("CLAIMS", "200"))


def main() -> None:
    """Measure and print every case."""
    with postgres() as server:
        db = Database(lambda: server.url("hidden"))
        server.create("hidden")
        with db.connect() as conn:
            install(conn)
            conn.execute("ALTER DATABASE hidden SET synchronous_commit = off")
        db.close()
        for name, disturb in _CASES.items():
            db = Database(lambda: server.url("hidden"))
            tenants, worker = _fill(db)
            with disturb(db, tenants, worker):
                _claim(db, worker)
                cost = _claim(db, worker)
                probe = _probe(db)
            base = _claim(db, worker)
            print(f"{name:<44}{cost:8.2f} ms, {cost / base:6.1f} ×; probe {probe:8.3f} ms", flush=True)
            db.close()


def _fill(db: Database) -> tuple[list[UUID], UUID]:
    """Empty the queue, enqueue jobs of three tenants in three tiers, and register a worker."""
    tenants, worker = [uuid4() for _ in range(3)], Worker(uuid4(), "bench", 0, (POOL,), 1, 86400.0)
    with db.transaction() as conn:
        conn.execute("TRUNCATE jobs, lanes, pool_tiers, tallies, job_history, workers")
        for one in tenants:
            conn.execute("INSERT INTO workspaces (id, name) VALUES (%s, %s)", (one, str(one)))
        queue.ensure_partitions(conn)
        queue.register(conn, worker)
    _enqueue(db, tenants, 30_000)
    return tenants, worker.id


def _enqueue(db: Database, tenants: list[UUID], count: int) -> None:
    for start in range(0, count, 10_000):
        with db.transaction() as conn:
            queue.enqueue(conn, make_jobs(tenants, min(10_000, count - start)))
    with db.connect() as conn:
        conn.execute("VACUUM ANALYZE jobs, lanes, pools, pool_tiers")


def _claim(db: Database, worker: UUID) -> float:
    """Return the mean milliseconds of a claim of ten jobs."""
    costs = []
    for _ in range(_CLAIMS):
        started = time.perf_counter()
        with db.statement() as conn:
            leases = queue.claim(conn, POOL, worker, 10)
        costs.append(time.perf_counter() - started)
        if not leases:
            raise RuntimeError("no job was claimed")
        with db.transaction() as conn:
            queue.settle(conn, [Completion(lease) for lease in leases])
    return statistics.mean(costs) * 1000


def _probe(db: Database) -> float:
    """Return the mean milliseconds of the search for pools with jobs."""
    started = time.perf_counter()
    for _ in range(20):
        with db.statement() as conn:
            queue.find_pools_with_jobs(conn, [POOL])
    return (time.perf_counter() - started) * 50


@contextmanager
def _undisturbed(_db: Database, _tenants: list[UUID], _worker: UUID) -> Iterator[None]:
    yield


def _uncommitted(workspace: int, tier: Tier | None, seconds: float) -> Case:
    """Return a case with many uncommitted jobs of one workspace (-1: a new one) that arrived this much earlier."""

    @contextmanager
    def disturb(db: Database, tenants: list[UUID], _worker: UUID) -> Iterator[None]:
        conn = db.connect()
        conn.execute("SET idle_in_transaction_session_timeout = 0")
        new = UUID(int=0) if workspace < 0 else tenants[workspace]
        conn.execute("INSERT INTO workspaces (id, name) VALUES (%s, 'New') ON CONFLICT DO NOTHING", (new,))
        conn.execute("BEGIN")
        conn.execute(
            "INSERT INTO jobs (workspace_id, pool, tier, type, arrived_at)"
            " SELECT %s, %s, coalesce(%s, n %% 3), 'no-op', now() - make_interval(secs => %s)"
            " FROM generate_series(1, %s) AS n",
            (new, POOL, tier, seconds, _UNCOMMITTED),
        )
        yield
        conn.execute("ROLLBACK")
        conn.execute("VACUUM jobs")
        conn.close()

    return disturb


def _snapshot(batch: int, settled: int) -> Case:
    """Return a case with an old snapshot, since which this many jobs were settled in batches."""

    @contextmanager
    def disturb(db: Database, tenants: list[UUID], worker: UUID) -> Iterator[None]:
        conn = db.connect()
        conn.execute("SET idle_in_transaction_session_timeout = 0")
        conn.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        conn.execute("SELECT count(*) FROM workers")
        _settle(db, tenants, worker, batch, settled)
        yield
        conn.execute("ROLLBACK")
        conn.execute("VACUUM jobs, lanes, pools, pool_tiers")
        conn.close()

    return disturb


def _settle(db: Database, tenants: list[UUID], worker: UUID, batch: int, count: int) -> None:
    done = 0
    while done < count:
        if done % 10_000 < batch:
            _enqueue_some(db, tenants)
        with db.statement() as conn:
            leases = queue.claim(conn, POOL, worker, batch)
        with db.transaction() as conn:
            done += len(queue.settle(conn, [Completion(lease) for lease in leases]))


def _enqueue_some(db: Database, tenants: list[UUID]) -> None:
    with db.transaction() as conn:
        queue.enqueue(conn, make_jobs(tenants, 10_000))


_CASES: dict[str, Case] = {
    "undisturbed": _undisturbed,
    "uncommitted, new lanes": _uncommitted(-1, None, 0),
    "uncommitted, new lane of one tier": _uncommitted(-1, Tier.LOW, 0),
    "uncommitted, same lanes, before all": _uncommitted(0, None, 3600),
    "uncommitted, same lanes, after all": _uncommitted(0, None, 0),
    "old snapshot, settled in batches of 100": _snapshot(100, _SETTLED),
    "old snapshot, settled in batches of 10": _snapshot(10, _SETTLED // 4),
}


if __name__ == "__main__":
    main()
