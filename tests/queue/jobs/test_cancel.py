"""Tests of the cancellation of jobs and documents."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID, uuid4

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import BadInput, NotFound, Reject, Retry
from docyard.model.jobs import Completion, Snooze
from docyard.pipeline import step as steps
from docyard.pipeline.cancellation import cancel_document, cancel_jobs
from docyard.pipeline.reruns import retry_document
from tests.pipeline.stage_runs import (
    STAGE_NAMES,
    VALUES,
    arrive,
    claim_document_job,
    fail,
    fail_permanently,
    finish,
    list_outcomes,
    load_document,
    load_rows,
    run_stages,
    run_until,
)
from tests.queue.queue_workers import (
    claim_one,
    count_rows,
    enqueue_committed,
    get_state,
    make_job,
    register_worker_committed,
    settle_done,
)


def cancel(database: Database, document_id: UUID, by: str = "ada@example.org") -> None:
    with database.transaction() as conn:
        cancel_document(conn, document_id, by)


@pytest.mark.parametrize("state", ["pending", "scheduled", "running", "snoozed"])
def test_a_job_is_cancelled_in_any_state_and_frees_its_key(
    database: Database, conn: Connection, workspace: UUID, state: str
) -> None:
    delay = 60.0 if state == "scheduled" else 0.0
    (one,) = enqueue_committed(database, make_job(workspace, dedupe_key="k", delay_seconds=delay))
    worker = register_worker_committed(database)
    lease = claim_one(database, worker) if state in ("running", "snoozed") else None
    if lease and state == "snoozed":
        queue.settle(conn, [Snooze(lease, 60, "rate_limit", "Later.")])
    with database.transaction() as cancelling:
        assert cancel_jobs(cancelling, [one], "ada@example.org") == [one]
    assert get_state(conn, one) is None
    assert count_rows(conn, "job_history WHERE outcome = 'cancelled'") == 1
    if lease:
        assert settle_done(database, lease) == set()
    assert len(enqueue_committed(database, make_job(workspace, dedupe_key="k"))) == 1


def test_cancelling_ended_or_unknown_jobs_does_nothing(database: Database, conn: Connection, workspace: UUID) -> None:
    (one,) = enqueue_committed(database, make_job(workspace))
    with database.transaction() as cancelling:
        assert cancel_jobs(cancelling, [one, uuid4()], "x") == [one]
        assert cancel_jobs(cancelling, [one], "x") == []
    assert count_rows(conn, "job_history") == 1


@pytest.mark.parametrize("state", ["waiting", "running", "backing off"])
def test_cancelling_a_document_cancels_its_jobs_and_records_the_user(
    database: Database, conn: Connection, workspace: UUID, state: str
) -> None:
    document_id = arrive(database, workspace)
    if state != "waiting":
        lease = claim_document_job(database, register_worker_committed(database))
        run_until(database, lease, "extract")
        if state == "backing off":
            fail(database, lease, Retry("timeout", "Slow."))
    cancel(database, document_id)
    document = load_document(conn, document_id)
    assert (document.status, document.reason) == ("cancelled", "Cancelled by ada@example.org.")
    assert (document.reason_category, document.completed_at is None) == (None, False)
    assert (count_rows(conn, "jobs"), count_rows(conn, "job_history WHERE outcome = 'cancelled'")) == (0, 1)


def test_jobs_outside_the_pipeline_are_cancelled_too(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    enqueue_committed(database, make_job(workspace, document_id=document_id), make_job(workspace))
    cancel(database, document_id)
    assert (count_rows(conn, "jobs"), count_rows(conn, "job_history")) == (1, 2)


@pytest.mark.parametrize("state", ["completed", "failed", "cancelled"])
def test_cancelling_an_ended_document_raises_an_error(
    database: Database, conn: Connection, workspace: UUID, state: str
) -> None:
    document_id = arrive(database, workspace)
    worker = register_worker_committed(database)
    if state == "completed":
        finish(database, worker)
    elif state == "failed":
        fail_permanently(database, worker, "extract", Reject("corrupt", "Damaged."))
    else:
        cancel(database, document_id, "bob@example.org")
    before = load_rows(conn, document_id)
    with pytest.raises(BadInput, match="has already ended"):
        cancel(database, document_id)
    assert load_rows(conn, document_id) == before


def test_cancelling_an_unknown_document_raises_not_found(database: Database) -> None:
    with pytest.raises(NotFound):
        cancel(database, uuid4())


@pytest.mark.parametrize("stage", STAGE_NAMES)
def test_a_retried_document_continues_where_it_was_cancelled(
    database: Database, web_database: Database, conn: Connection, workspace: UUID, stage: str
) -> None:
    document_id = arrive(database, workspace)
    run_until(database, claim_document_job(database, register_worker_committed(database)), stage)
    with web_database.transaction(workspace) as web:
        cancel_document(web, document_id, "ada@example.org")
    with web_database.transaction(workspace) as web:
        assert retry_document(web, document_id) is not None
    assert (load_document(conn, document_id).status, load_document(conn, document_id).reason) == ("pending", None)
    stages = [
        step.stage.name
        for step in run_stages(database, claim_document_job(database, register_worker_committed(database)))
    ]
    assert stages == STAGE_NAMES[STAGE_NAMES.index(stage) :]
    assert load_document(conn, document_id).status == "completed"
    assert set(list_outcomes(conn, document_id).values()) == {"done"}


@pytest.mark.parametrize("stage", STAGE_NAMES)
def test_a_late_result_is_refused_and_the_document_stays_cancelled(
    database: Database, conn: Connection, workspace: UUID, stage: str
) -> None:
    document_id = arrive(database, workspace)
    lease = claim_document_job(database, register_worker_committed(database))
    step = run_until(database, lease, stage)
    cancel(database, document_id)
    before = load_rows(conn, document_id)
    with database.transaction() as late:
        assert not steps.record(late, lease, step, VALUES[stage], 1.0).accepted
    assert not fail(database, lease, Reject("corrupt", "Damaged."))
    with database.transaction() as late:
        assert steps.begin(late, lease) is None
    assert load_rows(conn, document_id) == before


def test_cancelling_during_a_settlement_cancels_the_document(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    """If the result is recorded first, the next stage is cancelled; otherwise the result is refused."""
    worker = register_worker_committed(database)
    for number in range(20):
        document_id = arrive(database, workspace, f"{number}.txt")
        lease = claim_document_job(database, worker)
        step, together = run_until(database, lease, "extract"), Barrier(2)

        def record(lease: object = lease, step: steps.Step = step, together: Barrier = together) -> steps.RecordResult:
            together.wait()
            with database.transaction() as recording:
                return steps.record(recording, lease, step, VALUES["extract"], 0.1)  # type: ignore[arg-type]

        with ThreadPoolExecutor(1) as thread:
            recorded = thread.submit(record)
            together.wait()
            cancel(database, document_id)
            accepted = recorded.result(timeout=30).accepted
        assert load_document(conn, document_id).status == "cancelled"
        assert ("extract" in list_outcomes(conn, document_id)) is accepted
        assert count_rows(conn, "jobs") == 0


def test_cancelling_a_pipeline_job_cancels_its_document(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    (one,) = [row["id"] for row in conn.execute("SELECT id FROM jobs")]
    (other,) = enqueue_committed(database, make_job(workspace, document_id=document_id))
    with database.transaction() as cancelling:
        assert cancel_jobs(cancelling, [other], "an operator") == [other]
    assert load_document(conn, document_id).status == "pending"
    with database.transaction() as cancelling:
        assert cancel_jobs(cancelling, [one], "an operator") == [one]
    assert load_document(conn, document_id).reason == "Cancelled by an operator."


def test_cancelling_a_parent_includes_children_it_is_enqueueing(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    """The cancellation waits for the parent's transaction, and must include the children enqueued in it."""
    enqueue_committed(database, make_job(workspace))
    worker = register_worker_committed(database)
    parent = claim_one(database, worker)

    def cancel_parent() -> list[UUID]:
        with database.transaction() as cancelling:
            return cancel_jobs(cancelling, [parent.job_id], "x")

    with ThreadPoolExecutor(1) as thread:
        with database.transaction() as raising:
            assert queue.wait_for_children(raising, parent, [make_job(workspace)], seconds=60)
            cancelled = thread.submit(cancel_parent)
            while conn.execute("SELECT FROM pg_locks WHERE NOT granted").fetchone() is None:
                pass
        assert len(cancelled.result(timeout=30)) == 2
    assert count_rows(conn, "jobs") == 0


def test_settling_a_child_during_cancellation_does_not_deadlock(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = register_worker_committed(database)
    for _ in range(30):
        enqueue_committed(database, make_job(workspace))
        parent = claim_one(database, worker)
        with database.transaction() as raising:
            queue.wait_for_children(raising, parent, [make_job(workspace)], seconds=60)
        child, together = claim_one(database, worker), Barrier(2)

        def settle(together: Barrier = together, child: object = child) -> None:
            with database.transaction() as settling:
                together.wait()
                queue.settle(settling, [Completion(child)])  # type: ignore[arg-type]

        with ThreadPoolExecutor(1) as thread:
            settling = thread.submit(settle)
            with database.transaction() as cancelling:
                together.wait()
                cancel_jobs(cancelling, [parent.job_id], "x")
            settling.result(timeout=30)
        assert count_rows(conn, "jobs") == 0
