"""Tests of parents that wait for their children."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product
from threading import Barrier
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Done, Failed, Lease
from docyard.queue.jobs.children import LOOK_AGAIN_SECONDS
from tests.queue.jobs.families import child, end, family, look, take_children, wait
from tests.queue.queue_workers import add, count, done, failed, hired, job, state_of, take, take_one


@pytest.fixture
def worker(database: Database) -> UUID:
    return hired(database)


def test_a_waiting_parent_uses_no_attempt_and_no_slot(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    parent, children = family(database, workspace, worker)
    now = look(conn, parent)
    assert (now["state"], now["attempts"], now["worker_id"], now["children_left"]) == ("waiting", 0, None, 2)
    assert len(children) == 2
    assert take(database, worker) == []
    assert queue.reap(conn, worker) == []
    for one in children:
        assert state_of(conn, parent.job_id) == "waiting"
        done(database, one)
    again = take_one(database, worker)
    assert (again.job_id, again.attempts, again.children, again.children_failed) == (parent.job_id, 1, 2, 0)
    done(database, again)


@pytest.mark.parametrize("ends", list(product(["done", "dead", "cancelled"], repeat=2)))
def test_the_last_child_wakes_its_parent_after_any_outcome(
    database: Database, conn: Connection, workspace: UUID, worker: UUID, ends: tuple[str, str]
) -> None:
    parent, (first, second) = family(database, workspace, worker)
    end(database, first, ends[0])
    assert state_of(conn, parent.job_id) == "waiting"
    end(database, second, ends[1])
    again = take_one(database, worker)
    assert (again.children, again.children_failed) == (2, sum(how != "done" for how in ends))


def test_a_retried_child_has_not_ended(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    parent, (only,) = family(database, workspace, worker, children=1)
    for _ in range(2):
        failed(database, only)
        assert state_of(conn, parent.job_id) == "waiting"
        (only,) = take_children(database, worker)
    failed(database, only)
    assert take_one(database, worker).children_failed == 1


def test_two_concurrent_last_children_wake_the_parent_once(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    for number in range(40):
        _, children = family(database, workspace, worker)
        together = Barrier(2)

        def settle(lease: Lease, together: Barrier = together) -> None:
            together.wait()
            done(database, lease)

        with ThreadPoolExecutor(2) as threads:
            list(threads.map(settle, children))
        (again,) = take(database, worker, 5)
        assert (again.children, again.children_failed) == (2, 0), f"round {number}"
        done(database, again)
    assert count(conn, "jobs") == 0


def test_one_batch_may_end_children_of_several_parents(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    families = [family(database, workspace, worker, children=number) for number in (1, 2, 3)]
    everyone = [one for _, children in families for one in children]
    spared = families[2][1][0]
    with database.transaction() as settling:
        outcomes = [Done(one) for one in everyone if one is not spared]
        assert len(queue.settle(settling, list(reversed(outcomes)))) == 5
    assert [state_of(conn, parent.job_id) for parent, _ in families] == ["pending", "pending", "waiting"]
    assert look(conn, families[2][0])["children_left"] == 1


def test_a_live_job_is_adopted_instead_of_duplicated(
    database: Database, conn: Connection, workspace: UUID, other_workspace: UUID, worker: UUID
) -> None:
    live = child(workspace, dedupe_key="k")
    add(database, live, child(other_workspace, dedupe_key="k"))
    add(database, job(workspace))
    parent = take_one(database, worker)
    assert wait(database, parent, live, child(workspace, dedupe_key="new"))
    assert count(conn, "jobs WHERE dedupe_key = 'k'") == 2
    assert look(conn, parent)["children_left"] == 2
    for one in take_children(database, worker):
        done(database, one)
    assert take_one(database, worker).children == 2


def test_a_job_whose_children_belong_to_another_parent_is_rescheduled(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    """A job has one parent, so a second one cannot wait for it. Without a delay, the second would loop."""
    add(database, job(workspace), job(workspace))
    first, second = take(database, worker, 2)
    shared = child(workspace, dedupe_key="k")
    assert wait(database, first, shared)
    assert wait(database, second, shared)
    now = look(conn, second)
    assert (now["state"], now["attempts"], now["children"]) == ("scheduled", 0, 0)
    waits = conn.execute("SELECT extract(epoch FROM run_at - now()) AS s FROM jobs WHERE state = 'scheduled'")
    assert 0 < (waits.fetchone() or {})["s"] <= LOOK_AGAIN_SECONDS
    done(database, *take_children(database, worker))
    assert take_one(database, worker).job_id == first.job_id


def test_a_parent_without_children_is_pending_immediately(
    database: Database, workspace: UUID, worker: UUID
) -> None:
    add(database, job(workspace))
    parent = take_one(database, worker)
    assert wait(database, parent)
    again = take_one(database, worker)
    assert (again.attempts, again.children > 0, again.children_failed) == (1, True, 0)


def test_an_overdue_parent_fails_with_a_timeout_and_is_retried(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    parent, children = family(database, workspace, worker)
    assert queue.overdue_parents(conn, worker) == []
    for attempt in (1, 2):
        conn.execute("UPDATE jobs SET run_at = now() - interval '1 second' WHERE state = 'waiting'")
        with database.transaction() as settling:
            (late,) = queue.overdue_parents(settling, worker)
            assert (late.failure.category, late.lease.attempts) == ("timeout", attempt)
            assert queue.settle(settling, [Failed(late.lease, "timeout", "Late.", final=False)])
        parent = take_one(database, worker)
        # Its children are still live, and it waits for them again.
        assert wait(database, parent)
        assert look(conn, parent)["children_left"] == 2
    for one in children:
        done(database, one)
    assert take_one(database, worker).children == 2


def test_a_child_may_end_after_its_parent_timed_out(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    _, children = family(database, workspace, worker)
    conn.execute("UPDATE jobs SET run_at = '-infinity' WHERE state = 'waiting'")
    with database.transaction() as settling:
        (late,) = queue.overdue_parents(settling, worker)
        queue.settle(settling, [Failed(late.lease, "timeout", "Late.", final=True)])
    assert len(done(database, *children)) == 2
    assert (count(conn, "jobs"), count(conn, "dead_letters")) == (0, 1)


def test_a_parent_whose_children_were_deleted_is_woken(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    row = conn.execute(
        "INSERT INTO documents (workspace_id, name, status, completed_at)"
        " VALUES (%s, 'a', 'completed', now()) RETURNING id",
        (workspace,),
    ).fetchone()
    assert row
    add(database, job(workspace))
    parent = take_one(database, worker)
    assert wait(database, parent, child(workspace, document_id=row["id"]), child(workspace))
    assert queue.wake_orphans(conn) == 0
    conn.execute("DELETE FROM documents")
    assert queue.wake_orphans(conn) == 0, "one child is left"
    done(database, *take_children(database, worker))
    assert queue.wake_orphans(conn) == 1
    again = take_one(database, worker)
    assert (again.children, again.children_failed) == (2, 1)


def test_a_parent_with_a_lost_lease_enqueues_nothing(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    add(database, job(workspace), child(workspace, dedupe_key="k"))
    parent = take_one(database, worker)
    queue.give_back(conn, worker)
    conn.execute("BEGIN")
    children = [child(workspace), child(workspace, dedupe_key="k")]
    assert queue.wait_for_children(conn, parent, children, seconds=60) is False
    conn.execute("ROLLBACK")
    assert count(conn, "jobs WHERE parent_id IS NOT NULL") == 0
    assert (count(conn, "jobs"), count(conn, "tallies WHERE event = 'waited'")) == (2, 0)


def test_a_child_may_have_children(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    top, (middle,) = family(database, workspace, worker, children=1)
    assert wait(database, middle, child(workspace))
    (leaf,) = take_children(database, worker)
    assert [state_of(conn, one.job_id) for one in (top, middle)] == ["waiting", "waiting"]
    done(database, leaf)
    assert [state_of(conn, one.job_id) for one in (top, middle)] == ["waiting", "pending"]
    done(database, *take_children(database, worker))
    assert take_one(database, worker).job_id == top.job_id


def test_cancelling_a_parent_cancels_its_descendants(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    top, (middle, other) = family(database, workspace, worker)
    assert wait(database, middle, child(workspace))
    (leaf,) = take_children(database, worker)
    with database.transaction() as cancelling:
        ended = {one for one, _ in queue.cancel_jobs(cancelling, [top.job_id])}
    assert ended == {lease.job_id for lease in (top, middle, other, leaf)}
    assert (count(conn, "jobs"), count(conn, "job_history WHERE outcome = 'cancelled'")) == (0, 4)
    assert done(database, leaf, other) == set()


def test_cancelling_a_child_with_children_wakes_its_parent(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    top, (middle, other) = family(database, workspace, worker)
    assert wait(database, middle, child(workspace))
    with database.transaction() as cancelling:
        queue.cancel_jobs(cancelling, [middle.job_id])
    assert state_of(conn, top.job_id) == "waiting"
    done(database, other)
    assert take_one(database, worker).children_failed == 1
