"""Recovering what a lost worker held: soon, a few at a time, under a new fence, and never for ever."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Done
from docyard.model.tiers import Tier
from docyard.pipeline import step as steps
from tests.queue.crew import POOL, add, fill, hired, job, state_of, take, take_one


def silence(conn: Connection, worker: UUID) -> None:
    """The worker was last heard of longer ago than its lease."""
    conn.execute(
        "UPDATE workers SET heartbeat_at = clock_timestamp() - make_interval(secs => lease_seconds + 1)"
        " WHERE id = %s",
        (worker,),
    )


def reap_all(database: Database, reaper: UUID) -> int:
    """As a worker's upkeep does it: batches, each in its own transaction."""
    count = 0
    while True:
        with database.transaction() as conn:
            reaped = queue.reap(conn, reaper)
            for one in reaped:
                assert steps.fail(conn, one.lease, one.failure)
        count += len(reaped)
        if len(reaped) < queue.REAP_BATCH:
            return count


def test_the_jobs_of_a_silent_worker_run_again(database: Database, conn: Connection, workspace: UUID) -> None:
    worker, reaper = hired(database), hired(database)
    (one,) = add(database, job(workspace))
    lease = take_one(database, worker)
    silence(conn, worker)
    assert reap_all(database, reaper) == 1
    again = take_one(database, reaper)
    assert (again.job_id, again.attempts) == (one, 2)
    assert again.fence > lease.fence + 1
    assert queue.settle(conn, [Done(lease)]) == set()
    assert queue.settle(conn, [Done(again)]) == {one}


def test_why_a_job_was_recovered_is_recorded(database: Database, conn: Connection, workspace: UUID) -> None:
    add(database, job(workspace))
    worker = hired(database)
    take_one(database, worker)
    silence(conn, worker)
    reap_all(database, hired(database))
    (row,) = conn.execute("SELECT failure_history, state FROM jobs").fetchall()
    (entry,) = row["failure_history"]
    assert (row["state"], entry["category"], entry["attempt"]) == ("pending", "worker_lost", 1)
    assert f"Its worker ({str(worker)[:8]}) stopped" in entry["message"]


@pytest.mark.parametrize(("lease_seconds", "recovered"), [(30.0, 1), (900.0, 0)])
def test_how_long_a_silence_must_last_is_the_workers_own_setting(
    database: Database, conn: Connection, workspace: UUID, lease_seconds: float, recovered: int
) -> None:
    add(database, job(workspace))
    worker = hired(database, lease_seconds=lease_seconds)
    take_one(database, worker)
    conn.execute("UPDATE workers SET heartbeat_at = now() - interval '10 minutes' WHERE id = %s", (worker,))
    assert reap_all(database, hired(database)) == recovered


def test_a_worker_that_beats_within_its_lease_keeps_its_jobs(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = hired(database)
    add(database, job(workspace))
    lease = take_one(database, worker)
    silence(conn, worker)
    assert queue.heartbeat(conn, worker)
    assert reap_all(database, hired(database)) == 0
    assert queue.settle(conn, [Done(lease)]) == {lease.job_id}


def test_a_draining_worker_still_beats_and_keeps_its_jobs_but_gets_no_more(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = hired(database)
    add(database, job(workspace), job(workspace))
    lease = take_one(database, worker)
    queue.start_draining(conn, worker)
    assert take(database, worker) == []
    assert queue.heartbeat(conn, worker)
    assert reap_all(database, hired(database)) == 0
    assert queue.settle(conn, [Done(lease)]) == {lease.job_id}


@pytest.mark.parametrize("how", ["left", "never registered"])
def test_jobs_of_a_worker_that_is_no_more_run_again(
    database: Database, conn: Connection, workspace: UUID, how: str
) -> None:
    worker = hired(database)
    add(database, job(workspace))
    take_one(database, worker)
    if how == "left":
        queue.leave(conn, worker)
    else:
        conn.execute("DELETE FROM workers")
    assert reap_all(database, hired(database)) == 1


def test_a_passed_deadline_recovers_the_job_though_its_worker_lives(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = hired(database)
    (one,) = add(database, job(workspace))
    lease = take_one(database, worker)
    conn.execute("UPDATE jobs SET deadline_at = clock_timestamp() - interval '1 second'")
    assert reap_all(database, worker) == 1
    assert state_of(conn, one) == "scheduled"
    assert queue.settle(conn, [Done(lease)]) == set()
    history = conn.execute("SELECT failure_history -> 0 ->> 'category' AS category FROM jobs").fetchone()
    assert history == {"category": "timeout"}


def test_a_mass_recovery_goes_in_batches_of_ten_and_misses_none(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker, reaper = hired(database), hired(database)
    fill(conn, workspace, Tier.BACKGROUND, 25)
    assert len(take(database, worker, 25)) == 25
    silence(conn, worker)
    with database.transaction() as first:
        batch = queue.reap(first, reaper)
        assert len(batch) == queue.REAP_BATCH == 10
        for one in batch:
            steps.fail(first, one.lease, one.failure)
    assert reap_all(database, reaper) == 15
    assert conn.execute("SELECT DISTINCT state FROM jobs").fetchall() == [{"state": "pending"}]


def test_two_reapers_at_once_take_different_jobs_and_wait_for_none(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker, one, other = (hired(database) for _ in range(3))
    fill(conn, workspace, Tier.BACKGROUND, 15)
    take(database, worker, 15)
    # Declared lost by a reaper that stopped before it took anything over.
    conn.execute("UPDATE workers SET state = 'lost' WHERE id = %s", (worker,))
    with database.transaction() as first, database.transaction() as second:
        second.execute("SET LOCAL lock_timeout = '5s'")
        taken = [{r.lease.job_id for r in queue.reap(c, w)} for c, w in ((first, one), (second, other))]
    assert [len(ids) for ids in taken] == [10, 5]
    assert not taken[0] & taken[1]


def test_an_exhausted_stalled_job_does_not_stay_running(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    (one,) = add(database, job(workspace, max_attempts=1))
    worker = hired(database)
    take_one(database, worker)
    silence(conn, worker)
    reap_all(database, hired(database))
    assert state_of(conn, one) is None
    (letter,) = queue.dead_letters(conn)
    assert (letter.id, letter.category) == (one, "worker_lost")
    assert str(worker)[:8] in letter.message


def test_a_worker_silent_past_its_lease_cannot_claim_before_it_has_noticed(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = hired(database)
    add(database, job(workspace))
    silence(conn, worker)
    assert queue.claim(conn, POOL, worker, 1) == []
    # It was not declared lost yet, so one heartbeat brings it back.
    assert queue.heartbeat(conn, worker)
    assert len(queue.claim(conn, POOL, worker, 1)) == 1


def test_a_worker_declared_lost_never_comes_back_under_its_id(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = hired(database)
    add(database, job(workspace))
    silence(conn, worker)
    reap_all(database, hired(database))
    assert not queue.heartbeat(conn, worker)
    assert queue.claim(conn, POOL, worker, 1) == []
    queue.leave(conn, worker)
    states = conn.execute("SELECT state FROM workers WHERE id = %s", (worker,)).fetchone()
    assert states == {"state": "lost"}


def test_an_id_nobody_registered_gets_no_lease(database: Database, workspace: UUID) -> None:
    add(database, job(workspace))
    assert take(database, workspace) == []
