"""`make bench`: what the queue costs, as ratios within one run on an embedded server of its own."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID, uuid4

from docyard import queue
from docyard.db import Database, migrate
from docyard.db.embedded import EmbeddedServer
from docyard.model.jobs import Done, NewJob, Worker
from docyard.model.tiers import Tier

POOL = "fetch"
CLAIMS = 60


def main() -> None:
    """Print one table per question."""
    with fresh_database() as db:
        worker = registered(db)
        print("Queue, PostgreSQL with fsync on, one process, medians\n")
        print(f"{'enqueue, one job a transaction':<44}{enqueue_rate(db, 1, 300):>12,.0f} jobs/s")
        print(f"{'enqueue, 1,000 jobs a transaction':<44}{enqueue_rate(db, 1000, 20):>12,.0f} jobs/s")
        for batch in (1, 10, 100):
            rate = burn_down(db, worker, batch)
            print(f"{f'claim and settle, batch {batch}':<44}{rate:>12,.0f} jobs/s")
        print()
        compare(
            "claim of 10, jobs waiting", {n: claim_cost(db, worker, n, 3) for n in (1_000, 10_000, 100_000)}
        )
        compare("claim of 10, lanes", {n: claim_cost(db, worker, 20_000, n) for n in (3, 50, 500, 5_000)})


@contextmanager
def fresh_database() -> Iterator[Database]:
    """A migrated database on a server that goes away with us."""
    with tempfile.TemporaryDirectory(prefix="docyard-bench-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        with EmbeddedServer.attach(Path(folder) / "home") as server:
            db = Database(server.conninfo, size=4)
            with db.connect() as conn:
                migrate(conn)
            with db.transaction() as conn:
                queue.ensure_partitions(conn)
            yield db
            db.close()


def registered(db: Database) -> UUID:
    """A worker whose lease outlasts the benchmark."""
    worker = Worker(uuid4(), "bench", 0, (POOL,), 1, 3600.0)
    with db.transaction() as conn:
        queue.register(conn, worker)
    return worker.id


def workspaces(db: Database, count: int) -> list[UUID]:
    """So many new tenants."""
    ids = [uuid4() for _ in range(count)]
    with db.transaction() as conn, conn.cursor() as cursor:
        rows = [(one, str(one)) for one in ids]
        cursor.executemany("INSERT INTO workspaces (id, name) VALUES (%s, %s)", rows)
    return ids


def no_ops(tenants: list[UUID], count: int) -> list[NewJob]:
    """Jobs with a payload of about 200 bytes, spread over tiers and tenants."""
    payload = {"text": "x" * 180}
    return [
        NewJob(tenants[n // 3 % len(tenants)], POOL, "no-op", tier=Tier(n % 3), payload=payload)
        for n in range(count)
    ]


def enqueue_rate(db: Database, batch: int, rounds: int) -> float:
    """Jobs a second into the queue."""
    jobs = no_ops(workspaces(db, 1), batch)
    began = time.perf_counter()
    for _ in range(rounds):
        with db.transaction() as conn:
            queue.enqueue(conn, jobs)
    return batch * rounds / (time.perf_counter() - began)


def burn_down(db: Database, worker: UUID, batch: int) -> float:
    """Jobs a second out of it: claimed in one transaction, settled in another."""
    fill(db, 3_000, 3)
    done, began = 0, time.perf_counter()
    while done < min(3_000, batch * 200):
        with db.statement() as conn:
            leases = queue.claim(conn, POOL, worker, batch)
        with db.transaction() as conn:
            done += len(queue.settle(conn, [Done(lease) for lease in leases]))
    return done / (time.perf_counter() - began)


def claim_cost(db: Database, worker: UUID, waiting: int, lanes: int) -> float:
    """Median milliseconds of one claim of 10."""
    fill(db, waiting, max(1, lanes // 3))
    costs = []
    for _ in range(CLAIMS):
        began = time.perf_counter()
        with db.statement() as conn:
            queue.claim(conn, POOL, worker, 10)
        costs.append(time.perf_counter() - began)
    return statistics.median(costs) * 1000


def fill(db: Database, count: int, tenants: int) -> None:
    """Let exactly so many jobs of so many tenants wait."""
    with db.transaction() as conn:
        conn.execute("TRUNCATE jobs, lanes, pool_tiers")
    ids = workspaces(db, tenants)
    for start in range(0, count, 10_000):
        with db.transaction() as conn:
            queue.enqueue(conn, no_ops(ids, min(10_000, count - start)))
    with db.connect() as conn:
        conn.execute("VACUUM ANALYZE jobs")


def compare(title: str, costs: dict[int, float]) -> None:
    """One line per size, with its ratio to the first."""
    first = next(iter(costs.values()))
    for size, cost in costs.items():
        print(f"{f'{title} {size:,}':<44}{cost:>12.2f} ms {cost / first:>7.2f} ×")


if __name__ == "__main__":
    main()
