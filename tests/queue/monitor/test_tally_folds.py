"""Tests of the folding of tallies into totals."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from uuid import UUID

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Completion, JobFailure, Lease
from docyard.model.tiers import Tier
from docyard.pipeline import step
from docyard.queue import monitor
from tests.queue.queue_workers import (
    POOL,
    claim_committed,
    claim_one,
    enqueue_committed,
    insert_jobs,
    make_job,
    register_worker,
    register_worker_committed,
)


def count_events(conn: Connection) -> dict[str, int]:
    """Return the number of jobs by event, folded or not."""
    found: Counter[str] = Counter()
    for total in monitor.load_totals(conn):
        found[total.event] += total.jobs
    return dict(found)


def count_folded(conn: Connection) -> dict[str, int]:
    """Return the number of jobs by event in the table of totals."""
    rows = conn.execute("SELECT event, sum(jobs)::bigint AS jobs FROM tally_totals GROUP BY event")
    return {row["event"]: row["jobs"] for row in rows}


def test_folding_moves_tallies_without_changing_totals(database: Database, conn: Connection, workspace: UUID) -> None:
    insert_jobs(conn, workspace, Tier.LOW, 5)
    worker = register_worker_committed(database)
    for _ in range(2):
        leases = claim_committed(database, worker, 2)
        with database.transaction() as transaction:
            queue.settle(transaction, [Completion(leases[0]), JobFailure(leases[1], "corrupt", "torn", final=True)])
    before = monitor.load_totals(conn)
    assert count_events(conn) == {"claimed": 4, "done": 2, "dead": 2}
    assert monitor.fold_tallies(conn) > 0
    assert conn.execute("SELECT FROM tallies").fetchall() == []
    assert monitor.load_totals(conn) == before
    claim_committed(database, worker, 1)
    assert count_events(conn) == {"claimed": 5, "done": 2, "dead": 2}
    assert monitor.fold_tallies(conn) == 1
    assert monitor.fold_tallies(conn) == 0
    assert count_folded(conn) == {"claimed": 5, "done": 2, "dead": 2}


def test_waits_and_missed_objectives_are_counted(database: Database, conn: Connection, workspace: UUID) -> None:
    enqueue_committed(database, make_job(workspace, tier=Tier.USER_UPLOAD), make_job(workspace, tier=Tier.USER_UPLOAD))
    conn.execute(
        "UPDATE jobs SET arrived_at = now() - interval '90 s', created_at = arrived_at"
        " WHERE id = (SELECT min(id::text)::uuid FROM jobs)"
    )
    conn.execute("UPDATE jobs SET created_at = now() - interval '90 s' WHERE arrived_at < now() - interval '80 s'")
    claim_committed(database, register_worker_committed(database), 2)
    monitor.fold_tallies(conn)
    (claims,) = [total for total in monitor.load_totals(conn) if total.event == "claimed"]
    assert (claims.fresh, claims.late) == (2, 1)
    assert 90 <= claims.wait_seconds < 120


def test_totals_are_exact_under_concurrent_folding_and_settling(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    each, rounds, many = 4, 12, 4
    with database.transaction() as filling:
        for tier in Tier:
            insert_jobs(filling, workspace, tier, each * rounds * many)
    over = Event()

    def settle(_: int) -> None:
        worker = register_worker_committed(database)
        for number in range(rounds):
            leases = claim_committed(database, worker, each)
            assert len(leases) == each
            with database.transaction() as transaction:
                queue.settle(transaction, [_make_outcome(lease, number) for lease in leases])

    def fold(_: int) -> int:
        rows = 0
        while not over.is_set():
            with database.transaction() as transaction:
                rows += monitor.fold_tallies(transaction)
        return rows

    with ThreadPoolExecutor(many) as folders, ThreadPoolExecutor(many) as settlers:
        folding = [folders.submit(fold, number) for number in range(many)]
        for settled in [settlers.submit(settle, number) for number in range(many)]:
            settled.result(timeout=90)
        over.set()
        assert sum(done.result(timeout=30) for done in folding) > 0
    monitor.fold_tallies(conn)
    jobs = each * rounds * many
    assert count_folded(conn) == {"claimed": jobs, "done": jobs // 2, "dead": jobs // 2}
    assert conn.execute("SELECT FROM tallies").fetchall() == []


def _make_outcome(lease: Lease, number: int) -> Completion | JobFailure:
    return JobFailure(lease, "corrupt", "torn", final=True) if number % 2 else Completion(lease)


def test_a_refused_result_is_counted_by_worker_pool_and_tier(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    enqueue_committed(database, make_job(workspace, tier=Tier.LOW))
    worker = register_worker(conn)
    lease = claim_one(database, worker)
    with database.transaction() as transaction:
        assert step.begin(transaction, replace(lease, fence=lease.fence - 1)) is None
    (refused,) = [total for total in monitor.load_totals(conn) if total.event == "refused"]
    assert (refused.pool, refused.tier, refused.jobs) == (POOL, Tier.LOW, 1)
    assert conn.execute("SELECT rejected FROM workers WHERE id = %s", (worker,)).fetchone() == {"rejected": 1}
    queue.count_rejected(conn, [lease, lease])
    assert count_events(conn)["refused"] == 3
    assert conn.execute("SELECT rejected FROM workers WHERE id = %s", (worker,)).fetchone() == {"rejected": 3}
