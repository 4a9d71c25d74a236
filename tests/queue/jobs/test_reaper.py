"""Tests of the recovery of jobs from lost workers and past deadlines."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Completion
from docyard.model.tiers import Tier
from docyard.pipeline import step as steps
from docyard.store.results import list_attempts
from tests.pipeline.stage_runs import arrive, claim_document_job, run_until
from tests.queue.queue_workers import (
    POOL,
    claim_committed,
    claim_one,
    enqueue_committed,
    get_state,
    insert_jobs,
    make_job,
    register_worker_committed,
)
from tests.queue.sql_interface.sql_session import fetch_queue_entry


def expire_lease(conn: Connection, worker: UUID) -> None:
    """Make the last heartbeat of a worker older than its lease."""
    conn.execute(
        "UPDATE workers SET heartbeat_at = clock_timestamp() - make_interval(secs => lease_seconds + 1) WHERE id = %s",
        (worker,),
    )


def reap_all(database: Database, reaper: UUID) -> int:
    """Reap in batches, each in its own transaction, like a worker's upkeep; return the number of jobs."""
    count = 0
    while True:
        with database.transaction() as conn:
            reaped = queue.reap(conn, reaper)
            for one in reaped:
                assert steps.fail(conn, one.lease, one.failure)
        count += len(reaped)
        if len(reaped) < queue.REAP_BATCH_SIZE:
            return count


def test_jobs_of_a_silent_worker_are_recovered(database: Database, conn: Connection, workspace: UUID) -> None:
    worker, reaper = register_worker_committed(database), register_worker_committed(database)
    (one,) = enqueue_committed(database, make_job(workspace))
    lease = claim_one(database, worker)
    expire_lease(conn, worker)
    assert reap_all(database, reaper) == 1
    again = claim_one(database, reaper)
    assert (again.job_id, again.attempts) == (one, 2)
    assert again.fence > lease.fence + 1
    assert queue.settle(conn, [Completion(lease)]) == set()
    assert queue.settle(conn, [Completion(again)]) == {one}


def test_the_reason_for_a_recovery_is_recorded(database: Database, conn: Connection, workspace: UUID) -> None:
    enqueue_committed(database, make_job(workspace))
    worker = register_worker_committed(database)
    claim_one(database, worker)
    expire_lease(conn, worker)
    reap_all(database, register_worker_committed(database))
    (row,) = conn.execute("SELECT failure_history, state FROM jobs").fetchall()
    (entry,) = row["failure_history"]
    assert (row["state"], entry["category"], entry["attempt"]) == ("pending", "worker_lost", 1)
    assert f"Worker {str(worker)[:8]} stopped" in entry["message"]


@pytest.mark.parametrize(
    ("attempts", "optional", "table"), [(1, False, "jobs"), (3, False, "dead_letters"), (3, True, "job_history")]
)
@pytest.mark.parametrize("overdue", [False, True])
def test_the_history_names_the_worker_that_ran_the_attempt(
    database: Database, conn: Connection, workspace: UUID, attempts: int, optional: bool, table: str, overdue: bool
) -> None:
    document = arrive(database, workspace)
    worker, reaper = register_worker_committed(database), register_worker_committed(database)
    run_until(database, claim_document_job(database, worker), "classify" if optional else "extract")
    conn.execute("UPDATE jobs SET attempts = %s", (attempts,))
    if overdue:
        conn.execute("UPDATE jobs SET deadline_at = clock_timestamp() - interval '1 second'")
    else:
        expire_lease(conn, worker)
    assert reap_all(database, reaper) == 1
    rows = conn.execute(f"SELECT * FROM {table} WHERE jsonb_array_length(failure_history) = 1".encode()).fetchall()  # noqa: S608 (our own names)
    assert [row["failure_history"][0]["worker"] for row in rows] == [str(worker)]
    if table == "job_history":
        assert rows[0]["worker_id"] == worker
    entry = fetch_queue_entry(conn, document)
    names = {attempt.worker for attempt in list_attempts(conn, document)}
    assert names | {each["processor"] for each in entry["failure_history"]} == {str(worker)}
    assert optional or entry["processor_id"] == entry["processor_metadata"]["last_processor"] == str(worker)


@pytest.mark.parametrize(("lease_seconds", "recovered"), [(30.0, 1), (900.0, 0)])
def test_each_worker_has_its_own_lease_time(
    database: Database, conn: Connection, workspace: UUID, lease_seconds: float, recovered: int
) -> None:
    enqueue_committed(database, make_job(workspace))
    worker = register_worker_committed(database, lease_seconds=lease_seconds)
    claim_one(database, worker)
    conn.execute("UPDATE workers SET heartbeat_at = now() - interval '10 minutes' WHERE id = %s", (worker,))
    assert reap_all(database, register_worker_committed(database)) == recovered


def test_a_worker_with_a_recent_heartbeat_keeps_its_jobs(database: Database, conn: Connection, workspace: UUID) -> None:
    worker = register_worker_committed(database)
    enqueue_committed(database, make_job(workspace))
    lease = claim_one(database, worker)
    expire_lease(conn, worker)
    assert queue.heartbeat(conn, worker)
    assert reap_all(database, register_worker_committed(database)) == 0
    assert queue.settle(conn, [Completion(lease)]) == {lease.job_id}


def test_a_draining_worker_keeps_its_jobs_but_cannot_claim(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = register_worker_committed(database)
    enqueue_committed(database, make_job(workspace), make_job(workspace))
    lease = claim_one(database, worker)
    queue.start_draining(conn, worker)
    assert claim_committed(database, worker) == []
    assert queue.heartbeat(conn, worker)
    assert reap_all(database, register_worker_committed(database)) == 0
    assert queue.settle(conn, [Completion(lease)]) == {lease.job_id}


@pytest.mark.parametrize(("age", "recovered"), [(10, 0), (60, 1), (-60, 1), (None, 1)])
def test_heartbeats_of_a_worker_count_although_its_row_is_locked(
    database: Database, conn: Connection, workspace: UUID, age: int | None, recovered: int
) -> None:
    """A heartbeat in the future was sent before the clock was set back, so it proves nothing."""
    worker, reaper = (register_worker_committed(database, lease_seconds=30.0) for _ in range(2))
    enqueue_committed(database, make_job(workspace))
    claim_one(database, worker)
    expire_lease(conn, worker)
    if age is not None:
        queue.keep_heartbeat(conn, worker)
        conn.execute("UPDATE locked_heartbeats SET heartbeat_at = heartbeat_at - make_interval(secs => %s)", (age,))
    with database.transaction() as other:
        other.execute("SELECT FROM workers WHERE id = %s FOR UPDATE", (worker,))
        assert reap_all(database, reaper) == recovered
    assert reap_all(database, reaper) == 0
    assert len(claim_committed(database, worker)) == 0


def test_a_worker_with_a_recent_heartbeat_is_not_lost_when_the_lock_on_its_row_ends(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = register_worker_committed(database)
    enqueue_committed(database, make_job(workspace), make_job(workspace))
    claim_one(database, worker)
    expire_lease(conn, worker)
    queue.keep_heartbeat(conn, worker)
    assert reap_all(database, register_worker_committed(database)) == 0
    assert len(claim_committed(database, worker)) == 1
    assert queue.heartbeat(conn, worker)


@pytest.mark.parametrize("how", ["stopped", "deleted"])
def test_jobs_of_a_deleted_or_stopped_worker_are_recovered(
    database: Database, conn: Connection, workspace: UUID, how: str
) -> None:
    worker = register_worker_committed(database)
    enqueue_committed(database, make_job(workspace))
    claim_one(database, worker)
    if how == "stopped":
        queue.stop_worker(conn, worker)
    else:
        conn.execute("DELETE FROM workers")
    assert reap_all(database, register_worker_committed(database)) == 1


def test_a_job_past_its_deadline_is_recovered_from_a_live_worker(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = register_worker_committed(database)
    (one,) = enqueue_committed(database, make_job(workspace))
    lease = claim_one(database, worker)
    conn.execute("UPDATE jobs SET deadline_at = clock_timestamp() - interval '1 second'")
    assert reap_all(database, worker) == 1
    assert get_state(conn, one) == "scheduled"
    assert queue.settle(conn, [Completion(lease)]) == set()
    history = conn.execute("SELECT failure_history -> 0 ->> 'category' AS category FROM jobs").fetchone()
    assert history == {"category": "timeout"}


def test_many_jobs_are_recovered_in_batches_of_ten(database: Database, conn: Connection, workspace: UUID) -> None:
    worker, reaper = register_worker_committed(database), register_worker_committed(database)
    insert_jobs(conn, workspace, Tier.BACKGROUND, 25)
    assert len(claim_committed(database, worker, 25)) == 25
    expire_lease(conn, worker)
    with database.transaction() as first:
        batch = queue.reap(first, reaper)
        assert len(batch) == queue.REAP_BATCH_SIZE == 10
        for one in batch:
            steps.fail(first, one.lease, one.failure)
    assert reap_all(database, reaper) == 15
    assert conn.execute("SELECT DISTINCT state FROM jobs").fetchall() == [{"state": "pending"}]


def test_concurrent_reapers_take_different_jobs_without_waiting(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker, one, other = (register_worker_committed(database) for _ in range(3))
    insert_jobs(conn, workspace, Tier.BACKGROUND, 15)
    claim_committed(database, worker, 15)
    # As if a reaper had marked the worker as lost, but taken over none of its jobs.
    conn.execute("UPDATE workers SET state = 'lost' WHERE id = %s", (worker,))
    with database.transaction() as first, database.transaction() as second:
        second.execute("SET LOCAL lock_timeout = '5s'")
        taken = [{r.lease.job_id for r in queue.reap(c, w)} for c, w in ((first, one), (second, other))]
    assert [len(ids) for ids in taken] == [10, 5]
    assert not taken[0] & taken[1]


def test_an_exhausted_stalled_job_does_not_stay_running(database: Database, conn: Connection, workspace: UUID) -> None:
    (one,) = enqueue_committed(database, make_job(workspace, max_attempts=1))
    worker = register_worker_committed(database)
    claim_one(database, worker)
    expire_lease(conn, worker)
    reap_all(database, register_worker_committed(database))
    assert get_state(conn, one) is None
    (letter,) = queue.find_dead_letters(conn)
    assert (letter.id, letter.category) == (one, "worker_lost")
    assert str(worker)[:8] in letter.message


def test_a_worker_with_an_expired_lease_cannot_claim(database: Database, conn: Connection, workspace: UUID) -> None:
    worker = register_worker_committed(database)
    enqueue_committed(database, make_job(workspace))
    expire_lease(conn, worker)
    assert queue.claim(conn, POOL, worker, 1) == []
    # The worker has not been marked as lost yet, so a heartbeat renews its lease.
    assert queue.heartbeat(conn, worker)
    assert len(queue.claim(conn, POOL, worker, 1)) == 1


def test_a_lost_worker_cannot_return_under_its_id(database: Database, conn: Connection, workspace: UUID) -> None:
    worker = register_worker_committed(database)
    enqueue_committed(database, make_job(workspace))
    expire_lease(conn, worker)
    reap_all(database, register_worker_committed(database))
    assert not queue.heartbeat(conn, worker)
    assert queue.claim(conn, POOL, worker, 1) == []
    queue.stop_worker(conn, worker)
    states = conn.execute("SELECT state FROM workers WHERE id = %s", (worker,)).fetchone()
    assert states == {"state": "lost"}


def test_an_unregistered_worker_cannot_claim(database: Database, workspace: UUID) -> None:
    enqueue_committed(database, make_job(workspace))
    assert claim_committed(database, workspace) == []
