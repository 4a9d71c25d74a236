"""Helpers that register workers, add jobs, claim and settle in the tests of the queue."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Iterator
from uuid import UUID, uuid4

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Completion, JobFailure, Lease, NewJob, Worker
from docyard.model.tiers import Tier
from docyard.store.users import get_or_create_workspace

POOL = "extract"


def register_worker(conn: Connection, *, lease_seconds: float = 3600.0) -> UUID:
    """Register a worker and return its id; its lease outlasts the test by default."""
    worker_id = uuid4()
    queue.register(conn, Worker(worker_id, "host", 1, (POOL,), 4, lease_seconds))
    return worker_id


def register_worker_committed(database: Database, *, lease_seconds: float = 3600.0) -> UUID:
    """Register a worker in a separate transaction and return its id."""
    with database.transaction() as conn:
        return register_worker(conn, lease_seconds=lease_seconds)


def create_workspaces(conn: Connection, count: int) -> list[UUID]:
    """Create workspaces and return their ids."""
    return [get_or_create_workspace(conn, f"Workspace {number}") for number in range(count)]


def insert_jobs(conn: Connection, workspace: UUID, tier: Tier, count: int, *, pool: str = POOL) -> None:
    """Insert pending jobs into one lane, in order of arrival."""
    conn.execute(
        "INSERT INTO jobs (workspace_id, pool, tier, type, arrived_at)"
        " SELECT %s, %s, %s, 'test', now() + n * interval '1 microsecond' FROM generate_series(1, %s) AS n",
        (workspace, pool, int(tier), count),
    )


def make_job(workspace: UUID, **more: object) -> NewJob:
    """Return a new job for the pool of the tests."""
    return NewJob(workspace, POOL, "test", **more)  # type: ignore[arg-type]


def enqueue_committed(database: Database, *jobs: NewJob) -> list[UUID]:
    """Enqueue jobs and commit."""
    with database.transaction() as conn:
        return queue.enqueue(conn, jobs)


def claim_committed(database: Database, worker_id: UUID, limit: int = 1) -> list[Lease]:
    """Claim jobs and commit."""
    with database.transaction() as conn:
        return queue.claim(conn, POOL, worker_id, limit)


def claim_one(database: Database, worker_id: UUID) -> Lease:
    """Claim the next pending job and commit."""
    (lease,) = claim_committed(database, worker_id)
    return lease


def settle_done(database: Database, *leases: Lease) -> set[UUID]:
    """Settle jobs as done and commit; return the ids accepted."""
    with database.transaction() as conn:
        return queue.settle(conn, [Completion(lease) for lease in leases])


def settle_failed(database: Database, *leases: Lease, category: str = "timeout", final: bool = False) -> set[UUID]:
    """Settle jobs as failed, with an immediate retry unless final, and commit; return the ids accepted."""
    with database.transaction() as conn:
        return queue.settle(conn, [JobFailure(lease, category, "It failed.", final=final) for lease in leases])


def claim_in_batches(database: Database, worker_id: UUID, total: int, batch: int) -> Iterator[Lease]:
    """Claim in batches until `total` jobs are leased."""
    claimed = 0
    while claimed < total:
        leases = claim_committed(database, worker_id, min(batch, total - claimed))
        assert leases, f"no job could be claimed after {claimed} jobs"
        claimed += len(leases)
        yield from leases


def compute_tier_shares(leases: list[Lease]) -> dict[Tier, float]:
    """Return the share of each tier in percent."""
    counted = Counter(lease.tier for lease in leases)
    return {tier: 100 * counted[tier] / len(leases) for tier in Tier}


def compute_workspace_shares(leases: list[Lease]) -> dict[UUID, float]:
    """Return the share of each workspace in percent."""
    counted = Counter(lease.workspace_id for lease in leases)
    return {workspace: 100 * count / len(leases) for workspace, count in counted.items()}


def get_state(conn: Connection, job_id: UUID) -> str | None:
    """Return the state of a live job, or None if it has ended."""
    row = conn.execute("SELECT state FROM jobs WHERE id = %s", (job_id,)).fetchone()
    return str(row["state"]) if row else None


def count_rows(conn: Connection, what: str) -> int:
    """Return the number of rows of a table, whose name may be followed by a WHERE clause."""
    row = conn.execute(f"SELECT count(*) AS n FROM {what}".encode()).fetchone()  # noqa: S608 (constant text)
    assert row
    return int(row["n"])


def _claim_in_process(address: str, go: object, counts: object) -> None:
    database = Database(lambda: address, size=1)
    worker = register_worker_committed(database)
    go.wait()  # type: ignore[attr-defined]
    counts.put(sum(len(claim_committed(database, worker, 3)) for _ in range(40)))  # type: ignore[attr-defined]
    database.close()


def claim_in_four_processes(address: str) -> int:
    """Return how many jobs four processes lease in total when they claim concurrently."""
    spawn = multiprocessing.get_context("spawn")
    go, counts = spawn.Barrier(4), spawn.Queue()
    processes = [spawn.Process(target=_claim_in_process, args=(address, go, counts)) for _ in range(4)]
    for process in processes:
        process.start()
    total: int = sum(counts.get(timeout=60) for _ in processes)
    for process in processes:
        process.join(30)
    return total
