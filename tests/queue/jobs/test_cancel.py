"""Tests of the cancellation of jobs and documents."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID, uuid4

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import BadInput, NotFound, Reject, Retry
from docyard.model.jobs import Done, Snoozed
from docyard.pipeline import step as steps
from docyard.pipeline.cancellation import cancel_document, cancel_jobs
from docyard.pipeline.reruns import retry_document
from tests.pipeline.stage_runs import (
    ROAD,
    VALUES,
    arrive,
    fail,
    fail_for_good,
    finish,
    look,
    outcomes,
    saved,
    take_document,
    travel,
    travel_to,
)
from tests.queue.queue_workers import add, count, done, hired, job, state_of, take_one


def cancel(database: Database, document_id: UUID, by: str = "ada@example.org") -> None:
    with database.transaction() as conn:
        cancel_document(conn, document_id, by)


@pytest.mark.parametrize("state", ["pending", "scheduled", "running", "snoozed"])
def test_a_job_is_cancelled_in_any_state_and_its_key_is_free(
    database: Database, conn: Connection, workspace: UUID, state: str
) -> None:
    delay = 60.0 if state == "scheduled" else 0.0
    (one,) = add(database, job(workspace, dedupe_key="k", delay_seconds=delay))
    worker = hired(database)
    lease = take_one(database, worker) if state in ("running", "snoozed") else None
    if lease and state == "snoozed":
        queue.settle(conn, [Snoozed(lease, 60, "rate_limit", "Later.")])
    with database.transaction() as cancelling:
        assert cancel_jobs(cancelling, [one], "ada@example.org") == [one]
    assert state_of(conn, one) is None
    assert count(conn, "job_history WHERE outcome = 'cancelled'") == 1
    if lease:
        assert done(database, lease) == set()
    assert len(add(database, job(workspace, dedupe_key="k"))) == 1


def test_cancelling_ended_or_unknown_jobs_does_nothing(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    (one,) = add(database, job(workspace))
    with database.transaction() as cancelling:
        assert cancel_jobs(cancelling, [one, uuid4()], "x") == [one]
        assert cancel_jobs(cancelling, [one], "x") == []
    assert count(conn, "job_history") == 1


@pytest.mark.parametrize("state", ["waiting", "running", "backing off"])
def test_a_document_is_cancelled_with_its_jobs_and_records_by_whom(
    database: Database, conn: Connection, workspace: UUID, state: str
) -> None:
    document_id = arrive(database, workspace)
    if state != "waiting":
        lease = take_document(database, hired(database))
        travel_to(database, lease, "extract")
        if state == "backing off":
            fail(database, lease, Retry("timeout", "Slow."))
    cancel(database, document_id)
    document = look(conn, document_id)
    assert (document.status, document.reason) == ("cancelled", "Cancelled by ada@example.org.")
    assert (document.reason_category, document.completed_at is None) == (None, False)
    assert (count(conn, "jobs"), count(conn, "job_history WHERE outcome = 'cancelled'")) == (0, 1)


def test_jobs_outside_the_pipeline_are_cancelled_too(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    add(database, job(workspace, document_id=document_id), job(workspace))
    cancel(database, document_id)
    assert (count(conn, "jobs"), count(conn, "job_history")) == (1, 2)


@pytest.mark.parametrize("state", ["completed", "failed", "cancelled"])
def test_cancelling_an_ended_document_raises_an_error(
    database: Database, conn: Connection, workspace: UUID, state: str
) -> None:
    document_id = arrive(database, workspace)
    worker = hired(database)
    if state == "completed":
        finish(database, worker)
    elif state == "failed":
        fail_for_good(database, worker, "extract", Reject("corrupt", "Damaged."))
    else:
        cancel(database, document_id, "bob@example.org")
    before = saved(conn, document_id)
    with pytest.raises(BadInput, match="has already ended"):
        cancel(database, document_id)
    assert saved(conn, document_id) == before


def test_cancelling_an_unknown_document_raises_not_found(database: Database) -> None:
    with pytest.raises(NotFound):
        cancel(database, uuid4())


@pytest.mark.parametrize("stage", ROAD)
def test_a_retried_document_continues_where_it_was_cancelled(
    database: Database, web_database: Database, conn: Connection, workspace: UUID, stage: str
) -> None:
    document_id = arrive(database, workspace)
    travel_to(database, take_document(database, hired(database)), stage)
    with web_database.transaction(workspace) as web:
        cancel_document(web, document_id, "ada@example.org")
    with web_database.transaction(workspace) as web:
        assert retry_document(web, document_id) is not None
    assert (look(conn, document_id).status, look(conn, document_id).reason) == ("pending", None)
    stages = [step.stage.name for step in travel(database, take_document(database, hired(database)))]
    assert stages == ROAD[ROAD.index(stage) :]
    assert look(conn, document_id).status == "completed"
    assert set(outcomes(conn, document_id).values()) == {"done"}


@pytest.mark.parametrize("stage", ROAD)
def test_a_late_result_is_refused_and_the_document_stays_cancelled(
    database: Database, conn: Connection, workspace: UUID, stage: str
) -> None:
    document_id = arrive(database, workspace)
    lease = take_document(database, hired(database))
    step = travel_to(database, lease, stage)
    cancel(database, document_id)
    before = saved(conn, document_id)
    with database.transaction() as late:
        assert not steps.record(late, lease, step, VALUES[stage], 1.0).accepted
    assert not fail(database, lease, Reject("corrupt", "Damaged."))
    with database.transaction() as late:
        assert steps.begin(late, lease) is None
    assert saved(conn, document_id) == before


def test_cancelling_during_a_settlement_cancels_the_document(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    """If the result is recorded first, the next stage is cancelled; otherwise the result is refused."""
    worker = hired(database)
    for number in range(20):
        document_id = arrive(database, workspace, f"{number}.txt")
        lease = take_document(database, worker)
        step, together = travel_to(database, lease, "extract"), Barrier(2)

        def record(
            lease: object = lease, step: steps.Step = step, together: Barrier = together
        ) -> steps.Recorded:
            together.wait()
            with database.transaction() as recording:
                return steps.record(recording, lease, step, VALUES["extract"], 0.1)  # type: ignore[arg-type]

        with ThreadPoolExecutor(1) as thread:
            recorded = thread.submit(record)
            together.wait()
            cancel(database, document_id)
            accepted = recorded.result(timeout=30).accepted
        assert look(conn, document_id).status == "cancelled"
        assert ("extract" in outcomes(conn, document_id)) is accepted
        assert count(conn, "jobs") == 0


def test_cancelling_a_pipeline_job_cancels_its_document(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    (one,) = [row["id"] for row in conn.execute("SELECT id FROM jobs")]
    (other,) = add(database, job(workspace, document_id=document_id))
    with database.transaction() as cancelling:
        assert cancel_jobs(cancelling, [other], "an operator") == [other]
    assert look(conn, document_id).status == "pending"
    with database.transaction() as cancelling:
        assert cancel_jobs(cancelling, [one], "an operator") == [one]
    assert look(conn, document_id).reason == "Cancelled by an operator."


def test_cancelling_a_parent_includes_children_it_is_enqueueing(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    """The cancellation waits for the parent's transaction, and must include the jobs that it enqueued."""
    add(database, job(workspace))
    worker = hired(database)
    parent = take_one(database, worker)

    def cancel_it() -> list[UUID]:
        with database.transaction() as cancelling:
            return cancel_jobs(cancelling, [parent.job_id], "x")

    with ThreadPoolExecutor(1) as thread:
        with database.transaction() as raising:
            assert queue.wait_for_children(raising, parent, [job(workspace)], seconds=60)
            cancelled = thread.submit(cancel_it)
            while conn.execute("SELECT FROM pg_locks WHERE NOT granted").fetchone() is None:
                pass
        assert len(cancelled.result(timeout=30)) == 2
    assert count(conn, "jobs") == 0


def test_settling_a_child_during_cancellation_does_not_deadlock(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = hired(database)
    for _ in range(30):
        add(database, job(workspace))
        parent = take_one(database, worker)
        with database.transaction() as raising:
            queue.wait_for_children(raising, parent, [job(workspace)], seconds=60)
        child, together = take_one(database, worker), Barrier(2)

        def settle(together: Barrier = together, child: object = child) -> None:
            with database.transaction() as settling:
                together.wait()
                queue.settle(settling, [Done(child)])  # type: ignore[arg-type]

        with ThreadPoolExecutor(1) as thread:
            settling = thread.submit(settle)
            with database.transaction() as cancelling:
                together.wait()
                cancel_jobs(cancelling, [parent.job_id], "x")
            settling.result(timeout=30)
        assert count(conn, "jobs") == 0
