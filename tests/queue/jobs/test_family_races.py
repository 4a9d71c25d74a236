"""Tests of concurrent actions on parents and children: no deadlock, no parent that waits forever."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Done, Failed, Lease
from tests.queue.jobs.families import CHILD_POOL, child, family, look, take_children, wait
from tests.queue.queue_workers import POOL, add, count, done, hired, job, take, take_one


@pytest.fixture
def worker(database: Database) -> UUID:
    return hired(database)


ACTS = ("wait", "done", "retry", "cancel", "overdue", "orphans")


class RandomWorker:
    """A thread that randomly enqueues, settles, times out and cancels parents and children."""

    def __init__(self, database: Database, workspace: UUID, seed: int) -> None:
        self.database, self.workspace = database, workspace
        self.rng = random.Random(seed)
        self.worker = hired(database)

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
                children = [child(self.workspace, dedupe_key=key) for key in keys]
                queue.wait_for_children(conn, lease, children, seconds=self.rng.choice([0, 60]))
                return
        match self.rng.choice(ACTS):
            case "cancel":
                found = conn.execute("SELECT id FROM jobs ORDER BY random() LIMIT 2").fetchall()
                queue.cancel_jobs(conn, [row["id"] for row in found])
            case "overdue":
                late = queue.overdue_parents(conn, self.worker)
                queue.settle(conn, [Failed(one.lease, "timeout", "Late.", final=False) for one in late])
            case "orphans":
                queue.wake_orphans(conn)
            case "retry":
                mixed = [
                    Done(one) if self.rng.random() < 0.5 else Failed(one, "crash", "x", final=False)
                    for one in leases
                ]
                queue.settle(conn, mixed)
            case _:
                queue.settle(conn, [Done(lease) for lease in leases])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_concurrent_families_do_not_deadlock_or_leave_waiting_parents(
    database: Database, conn: Connection, workspace: UUID, seed: int
) -> None:
    add(database, *(job(workspace) for _ in range(60)))
    hands = [RandomWorker(database, workspace, 10 * seed + number) for number in range(4)]
    with ThreadPoolExecutor(len(hands)) as threads:
        list(threads.map(RandomWorker.work, hands))
    waits_for_nobody = conn.execute(
        "SELECT p.children_left, count(c.id) FROM jobs p LEFT JOIN jobs c ON c.parent_id = p.id"
        " WHERE p.state = 'waiting' GROUP BY p.id HAVING count(c.id) <> p.children_left"
    )
    assert waits_for_nobody.fetchall() == []


def test_parents_that_enqueue_the_same_children_do_not_deadlock(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    """If they enqueued their children in different orders, each would lock a key that the other needs."""
    add(database, job(workspace), job(workspace))
    orders = [["a", "m", "z"], ["z", "m", "a"]]

    def raise_children(parent: Lease, keys: list[str]) -> bool:
        return wait(database, parent, *(child(workspace, dedupe_key=key) for key in keys))

    parents = take(database, worker, 2)
    with ThreadPoolExecutor(2) as threads:
        # A third transaction enqueues the middle key, so that both stop half-way.
        conn.execute("BEGIN")
        queue.enqueue(conn, [child(workspace, dedupe_key="m")])
        raised = [threads.submit(raise_children, *given) for given in zip(parents, orders, strict=True)]
        while count(conn, "pg_locks WHERE NOT granted") < 2:
            pass
        conn.execute("ROLLBACK")
        assert [one.result(timeout=30) for one in raised] == [True, True]
    assert count(conn, "jobs WHERE state = 'waiting' AND children_left = 3") == 1
    assert count(conn, "jobs WHERE state = 'scheduled'") == 1


def test_a_batch_with_a_reaped_child_does_not_deadlock_with_the_reaper(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    """The batch must not lock the parent while it waits for the job that the reaper has locked."""
    parent, (first, lost) = family(database, workspace, worker)
    conn.execute("UPDATE jobs SET deadline_at = '-infinity' WHERE id = %s", (lost.job_id,))

    def settle() -> set[UUID]:
        with database.transaction() as settling:
            return queue.settle(settling, [Done(first), Failed(lost, "crash", "x", final=False)])

    with ThreadPoolExecutor(1) as thread:
        with database.transaction() as reaping:
            (reaped,) = queue.reap(reaping, worker)
            accepted = thread.submit(settle)
            while conn.execute("SELECT FROM pg_locks WHERE NOT granted").fetchone() is None:
                pass
            assert queue.settle(reaping, [Failed(reaped.lease, "worker_lost", "x", final=True)])
        assert accepted.result(timeout=30) == {first.job_id}
    again = take_one(database, worker)
    assert (again.job_id, again.children_failed) == (parent.job_id, 1)


def test_a_parent_notices_a_child_that_settles_while_it_starts_waiting(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    for number in range(40):
        add(database, child(workspace, dedupe_key="k"))
        (live,) = take_children(database, worker)
        add(database, job(workspace))
        parent, together = take_one(database, worker), Barrier(2)

        def settle(live: Lease = live, together: Barrier = together) -> None:
            together.wait()
            done(database, live)

        with ThreadPoolExecutor(1) as thread:
            settling = thread.submit(settle)
            together.wait()
            assert wait(database, parent, child(workspace, dedupe_key="k"))
            settling.result(timeout=30)
        for fresh in take_children(database, worker):  # enqueued again, if the first had already ended
            done(database, fresh)
        again = take_one(database, worker)
        assert again.job_id == parent.job_id, f"round {number}"
        done(database, again)
    assert count(conn, "jobs") == 0


def test_a_parent_does_not_wait_for_an_earlier_child_that_is_ending(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    """The parent must not count a child whose uncommitted settlement cannot see the parent waiting."""
    _, (slow, other) = family(database, workspace, worker)
    conn.execute("UPDATE jobs SET run_at = '-infinity' WHERE state = 'waiting'")
    with database.transaction() as settling:
        (late,) = queue.overdue_parents(settling, worker)
        queue.settle(settling, [Failed(late.lease, "timeout", "Late.", final=False)])
    parent = take_one(database, worker)
    with ThreadPoolExecutor(1) as thread:
        with database.transaction() as settling:
            assert queue.settle(settling, [Done(slow)])
            waiting = thread.submit(wait, database, parent)
            while conn.execute("SELECT FROM pg_locks WHERE NOT granted").fetchone() is None:
                pass
        assert waiting.result(timeout=30)
    assert look(conn, parent)["children_left"] == 1
    done(database, other)
    assert take_one(database, worker).job_id == parent.job_id
