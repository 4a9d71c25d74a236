"""Tests of parents that wait for their children."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product
from threading import Barrier
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Completion, JobFailure, Lease
from docyard.queue.jobs.children import RECHECK_SECONDS
from tests.queue.jobs.families import end_child, fetch_job, make_child, make_family, take_children, wait_committed
from tests.queue.queue_workers import (
    claim_committed,
    claim_one,
    count_rows,
    enqueue_committed,
    get_state,
    make_job,
    register_worker_committed,
    settle_done,
    settle_failed,
)


@pytest.fixture
def worker(database: Database) -> UUID:
    return register_worker_committed(database)


def test_a_waiting_parent_uses_no_attempt_and_no_slot(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    parent, children = make_family(database, workspace, worker)
    now = fetch_job(conn, parent)
    assert (now["state"], now["attempts"], now["worker_id"], now["children_left"]) == ("waiting", 0, None, 2)
    assert len(children) == 2
    assert claim_committed(database, worker) == []
    assert queue.reap(conn, worker) == []
    for one in children:
        assert get_state(conn, parent.job_id) == "waiting"
        settle_done(database, one)
    again = claim_one(database, worker)
    assert (again.job_id, again.attempts, again.children, again.children_failed) == (parent.job_id, 1, 2, 0)
    settle_done(database, again)


@pytest.mark.parametrize("ends", list(product(["done", "dead", "cancelled"], repeat=2)))
def test_the_last_child_wakes_its_parent_after_any_outcome(
    database: Database, conn: Connection, workspace: UUID, worker: UUID, ends: tuple[str, str]
) -> None:
    parent, (first, second) = make_family(database, workspace, worker)
    end_child(database, first, ends[0])
    assert get_state(conn, parent.job_id) == "waiting"
    end_child(database, second, ends[1])
    again = claim_one(database, worker)
    assert (again.children, again.children_failed) == (2, sum(how != "done" for how in ends))


def test_a_parent_waits_while_its_child_is_retried(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    parent, (only,) = make_family(database, workspace, worker, children=1)
    for _ in range(2):
        settle_failed(database, only)
        assert get_state(conn, parent.job_id) == "waiting"
        (only,) = take_children(database, worker)
    settle_failed(database, only)
    assert claim_one(database, worker).children_failed == 1


def test_two_concurrent_last_children_wake_the_parent_once(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    for number in range(40):
        _, children = make_family(database, workspace, worker)
        together = Barrier(2)

        def settle(lease: Lease, together: Barrier = together) -> None:
            together.wait()
            settle_done(database, lease)

        with ThreadPoolExecutor(2) as threads:
            list(threads.map(settle, children))
        (again,) = claim_committed(database, worker, 5)
        assert (again.children, again.children_failed) == (2, 0), f"round {number}"
        settle_done(database, again)
    assert count_rows(conn, "jobs") == 0


def test_one_batch_may_end_children_of_several_parents(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    families = [make_family(database, workspace, worker, children=number) for number in (1, 2, 3)]
    everyone = [one for _, children in families for one in children]
    spared = families[2][1][0]
    with database.transaction() as settling:
        outcomes = [Completion(one) for one in everyone if one is not spared]
        assert len(queue.settle(settling, list(reversed(outcomes)))) == 5
    assert [get_state(conn, parent.job_id) for parent, _ in families] == ["pending", "pending", "waiting"]
    assert fetch_job(conn, families[2][0])["children_left"] == 1


def test_a_live_job_is_adopted_instead_of_duplicated(
    database: Database, conn: Connection, workspace: UUID, other_workspace: UUID, worker: UUID
) -> None:
    live = make_child(workspace, dedupe_key="k")
    enqueue_committed(database, live, make_child(other_workspace, dedupe_key="k"))
    enqueue_committed(database, make_job(workspace))
    parent = claim_one(database, worker)
    assert wait_committed(database, parent, live, make_child(workspace, dedupe_key="new"))
    assert count_rows(conn, "jobs WHERE dedupe_key = 'k'") == 2
    assert fetch_job(conn, parent)["children_left"] == 2
    for one in take_children(database, worker):
        settle_done(database, one)
    assert claim_one(database, worker).children == 2


def test_a_job_whose_children_belong_to_another_parent_is_rescheduled(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    """A child has only one parent, so a second parent cannot wait for it and would loop without a delay."""
    enqueue_committed(database, make_job(workspace), make_job(workspace))
    first, second = claim_committed(database, worker, 2)
    shared = make_child(workspace, dedupe_key="k")
    assert wait_committed(database, first, shared)
    assert wait_committed(database, second, shared)
    now = fetch_job(conn, second)
    assert (now["state"], now["attempts"], now["children"]) == ("scheduled", 0, 0)
    waits = conn.execute("SELECT extract(epoch FROM run_at - now()) AS s FROM jobs WHERE state = 'scheduled'")
    assert 0 < (waits.fetchone() or {})["s"] <= RECHECK_SECONDS
    settle_done(database, *take_children(database, worker))
    assert claim_one(database, worker).job_id == first.job_id


def test_a_parent_without_children_is_pending_immediately(database: Database, workspace: UUID, worker: UUID) -> None:
    enqueue_committed(database, make_job(workspace))
    parent = claim_one(database, worker)
    assert wait_committed(database, parent)
    again = claim_one(database, worker)
    assert (again.attempts, again.children > 0, again.children_failed) == (1, True, 0)


def test_an_overdue_parent_fails_with_a_timeout_and_is_retried(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    parent, children = make_family(database, workspace, worker)
    assert queue.take_over_overdue_parents(conn, worker) == []
    for attempt in (1, 2):
        conn.execute("UPDATE jobs SET run_at = now() - interval '1 second' WHERE state = 'waiting'")
        with database.transaction() as settling:
            (late,) = queue.take_over_overdue_parents(settling, worker)
            assert (late.failure.category, late.lease.attempts) == ("timeout", attempt)
            assert queue.settle(settling, [JobFailure(late.lease, "timeout", "Late.", final=False)])
        parent = claim_one(database, worker)
        # The children are still live, and the parent waits for them again.
        assert wait_committed(database, parent)
        assert fetch_job(conn, parent)["children_left"] == 2
    for one in children:
        settle_done(database, one)
    assert claim_one(database, worker).children == 2


def test_a_child_may_end_after_its_parent_timed_out(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    _, children = make_family(database, workspace, worker)
    conn.execute("UPDATE jobs SET run_at = '-infinity' WHERE state = 'waiting'")
    with database.transaction() as settling:
        (late,) = queue.take_over_overdue_parents(settling, worker)
        queue.settle(settling, [JobFailure(late.lease, "timeout", "Late.", final=True)])
    assert len(settle_done(database, *children)) == 2
    assert (count_rows(conn, "jobs"), count_rows(conn, "dead_letters")) == (0, 1)


def test_a_parent_whose_children_were_deleted_is_woken(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    row = conn.execute(
        "INSERT INTO documents (workspace_id, name, status, completed_at)"
        " VALUES (%s, 'a', 'completed', now()) RETURNING id",
        (workspace,),
    ).fetchone()
    assert row
    enqueue_committed(database, make_job(workspace))
    parent = claim_one(database, worker)
    assert wait_committed(database, parent, make_child(workspace, document_id=row["id"]), make_child(workspace))
    assert queue.wake_orphans(conn) == 0
    conn.execute("DELETE FROM documents")
    assert queue.wake_orphans(conn) == 0, "one child is left"
    settle_done(database, *take_children(database, worker))
    assert queue.wake_orphans(conn) == 1
    again = claim_one(database, worker)
    assert (again.children, again.children_failed) == (2, 1)


def test_a_parent_with_a_lost_lease_enqueues_nothing(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    enqueue_committed(database, make_job(workspace), make_child(workspace, dedupe_key="k"))
    parent = claim_one(database, worker)
    queue.release_leases(conn, worker)
    conn.execute("BEGIN")
    children = [make_child(workspace), make_child(workspace, dedupe_key="k")]
    assert queue.wait_for_children(conn, parent, children, seconds=60) is False
    conn.execute("ROLLBACK")
    assert count_rows(conn, "jobs WHERE parent_id IS NOT NULL") == 0
    assert (count_rows(conn, "jobs"), count_rows(conn, "tallies WHERE event = 'waited'")) == (2, 0)


def test_a_child_may_have_children(database: Database, conn: Connection, workspace: UUID, worker: UUID) -> None:
    top, (middle,) = make_family(database, workspace, worker, children=1)
    assert wait_committed(database, middle, make_child(workspace))
    (leaf,) = take_children(database, worker)
    assert [get_state(conn, one.job_id) for one in (top, middle)] == ["waiting", "waiting"]
    settle_done(database, leaf)
    assert [get_state(conn, one.job_id) for one in (top, middle)] == ["waiting", "pending"]
    settle_done(database, *take_children(database, worker))
    assert claim_one(database, worker).job_id == top.job_id


def test_cancelling_a_parent_cancels_its_descendants(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    top, (middle, other) = make_family(database, workspace, worker)
    assert wait_committed(database, middle, make_child(workspace))
    (leaf,) = take_children(database, worker)
    with database.transaction() as cancelling:
        ended = {one for one, _ in queue.cancel_jobs(cancelling, [top.job_id])}
    assert ended == {lease.job_id for lease in (top, middle, other, leaf)}
    assert (count_rows(conn, "jobs"), count_rows(conn, "job_history WHERE outcome = 'cancelled'")) == (0, 4)
    assert settle_done(database, leaf, other) == set()


def test_cancelling_a_child_with_children_wakes_its_parent(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    top, (middle, other) = make_family(database, workspace, worker)
    assert wait_committed(database, middle, make_child(workspace))
    with database.transaction() as cancelling:
        queue.cancel_jobs(cancelling, [middle.job_id])
    assert get_state(conn, top.job_id) == "waiting"
    settle_done(database, other)
    assert claim_one(database, worker).children_failed == 1
