"""Tests of concurrent actions on parents and children: no deadlock, no parent that waits indefinitely."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Completion, JobFailure, Lease
from tests.queue.jobs.families import CHILD_POOL, fetch_job, make_child, make_family, take_children, wait_committed
from tests.queue.queue_workers import (
    POOL,
    claim_committed,
    claim_one,
    count_rows,
    enqueue_committed,
    make_job,
    register_worker_committed,
    settle_done,
)


@pytest.fixture
def worker(database: Database) -> UUID:
    return register_worker_committed(database)


ACTS = ("wait", "done", "retry", "cancel", "overdue", "orphans")


class RandomWorker:
    """A worker that randomly enqueues, settles, times out and cancels parents and children."""

    def __init__(self, database: Database, workspace: UUID, seed: int) -> None:
        self.database, self.workspace = database, workspace
        self.rng = random.Random(seed)
        self.worker = register_worker_committed(database)

    def work(self) -> None:
        for _ in range(50):
            with self.database.statement() as conn:
                leases = queue.claim(conn, self.rng.choice([POOL, CHILD_POOL]), self.worker, 3)
            with self.database.transaction() as conn:
                self.act(conn, leases)

    def act(self, conn: Connection, leases: list[Lease]) -> None:
        keys = self.rng.sample("abcdef", 3)
        for lease in leases[:1]:
            if lease.pool == POOL and not lease.children:
                children = [make_child(self.workspace, dedupe_key=key) for key in keys]
                queue.wait_for_children(conn, lease, children, seconds=self.rng.choice([0, 60]))
                return
        match self.rng.choice(ACTS):
            case "cancel":
                found = conn.execute("SELECT id FROM jobs ORDER BY random() LIMIT 2").fetchall()
                queue.cancel_jobs(conn, [row["id"] for row in found])
            case "overdue":
                late = queue.take_over_overdue_parents(conn, self.worker)
                queue.settle(conn, [JobFailure(one.lease, "timeout", "Late.", final=False) for one in late])
            case "orphans":
                queue.wake_orphans(conn)
            case "retry":
                mixed = [
                    Completion(one) if self.rng.random() < 0.5 else JobFailure(one, "crash", "x", final=False)
                    for one in leases
                ]
                queue.settle(conn, mixed)
            case _:
                queue.settle(conn, [Completion(lease) for lease in leases])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_concurrent_families_do_not_deadlock_or_leave_waiting_parents(
    database: Database, conn: Connection, workspace: UUID, seed: int
) -> None:
    enqueue_committed(database, *(make_job(workspace) for _ in range(60)))
    workers = [RandomWorker(database, workspace, 10 * seed + number) for number in range(4)]
    with ThreadPoolExecutor(len(workers)) as threads:
        list(threads.map(RandomWorker.work, workers))
    miscounted = conn.execute(
        "SELECT p.children_left, count(c.id) FROM jobs p LEFT JOIN jobs c ON c.parent_id = p.id"
        " WHERE p.state = 'waiting' GROUP BY p.id HAVING count(c.id) <> p.children_left"
    )
    assert miscounted.fetchall() == []


def test_parents_that_enqueue_the_same_children_do_not_deadlock(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    """If the parents enqueued their children in different orders, each would lock a key the other needs."""
    enqueue_committed(database, make_job(workspace), make_job(workspace))
    orders = [["a", "m", "z"], ["z", "m", "a"]]

    def enqueue_children(parent: Lease, keys: list[str]) -> bool:
        return wait_committed(database, parent, *(make_child(workspace, dedupe_key=key) for key in keys))

    parents = claim_committed(database, worker, 2)
    with ThreadPoolExecutor(2) as threads:
        # A third transaction enqueues the middle key, so that both parents stop half-way.
        conn.execute("BEGIN")
        queue.enqueue(conn, [make_child(workspace, dedupe_key="m")])
        results = [threads.submit(enqueue_children, *arguments) for arguments in zip(parents, orders, strict=True)]
        while count_rows(conn, "pg_locks WHERE NOT granted") < 2:
            pass
        conn.execute("ROLLBACK")
        assert [one.result(timeout=30) for one in results] == [True, True]
    assert count_rows(conn, "jobs WHERE state = 'waiting' AND children_left = 3") == 1
    assert count_rows(conn, "jobs WHERE state = 'scheduled'") == 1


def test_a_batch_with_a_reaped_child_does_not_deadlock_with_the_reaper(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    """The batch must not lock the parent while it waits for the job that the reaper has locked."""
    parent, (first, lost) = make_family(database, workspace, worker)
    conn.execute("UPDATE jobs SET deadline_at = '-infinity' WHERE id = %s", (lost.job_id,))

    def settle() -> set[UUID]:
        with database.transaction() as settling:
            return queue.settle(settling, [Completion(first), JobFailure(lost, "crash", "x", final=False)])

    with ThreadPoolExecutor(1) as thread:
        with database.transaction() as reaping:
            (reaped,) = queue.reap(reaping, worker)
            accepted = thread.submit(settle)
            while conn.execute("SELECT FROM pg_locks WHERE NOT granted").fetchone() is None:
                pass
            assert queue.settle(reaping, [JobFailure(reaped.lease, "worker_lost", "x", final=True)])
        assert accepted.result(timeout=30) == {first.job_id}
    again = claim_one(database, worker)
    assert (again.job_id, again.children_failed) == (parent.job_id, 1)


def test_a_parent_that_starts_waiting_notices_a_child_that_settles(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    for number in range(40):
        enqueue_committed(database, make_child(workspace, dedupe_key="k"))
        (live,) = take_children(database, worker)
        enqueue_committed(database, make_job(workspace))
        parent, together = claim_one(database, worker), Barrier(2)

        def settle(live: Lease = live, together: Barrier = together) -> None:
            together.wait()
            settle_done(database, live)

        with ThreadPoolExecutor(1) as thread:
            settling = thread.submit(settle)
            together.wait()
            assert wait_committed(database, parent, make_child(workspace, dedupe_key="k"))
            settling.result(timeout=30)
        for fresh in take_children(database, worker):  # a new child, if the first had already ended
            settle_done(database, fresh)
        again = claim_one(database, worker)
        assert again.job_id == parent.job_id, f"round {number}"
        settle_done(database, again)
    assert count_rows(conn, "jobs") == 0


def test_a_parent_does_not_wait_for_an_earlier_child_that_is_ending(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    """A child settled while its parent runs cannot wake the parent, so that child must not be counted."""
    _, (slow, other) = make_family(database, workspace, worker)
    conn.execute("UPDATE jobs SET run_at = '-infinity' WHERE state = 'waiting'")
    with database.transaction() as settling:
        (late,) = queue.take_over_overdue_parents(settling, worker)
        queue.settle(settling, [JobFailure(late.lease, "timeout", "Late.", final=False)])
    parent = claim_one(database, worker)
    with ThreadPoolExecutor(1) as thread:
        with database.transaction() as settling:
            assert queue.settle(settling, [Completion(slow)])
            waiting = thread.submit(wait_committed, database, parent)
            while conn.execute("SELECT FROM pg_locks WHERE NOT granted").fetchone() is None:
                pass
        assert waiting.result(timeout=30)
    assert fetch_job(conn, parent)["children_left"] == 1
    settle_done(database, other)
    assert claim_one(database, worker).job_id == parent.job_id
