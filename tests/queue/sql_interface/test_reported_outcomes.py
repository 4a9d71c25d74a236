"""Tests of outcomes reported by outside processors."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import psycopg
import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Reject, Retry
from docyard.model.jobs import Completion
from docyard.model.stage_values import ExtractedText
from docyard.model.text.pages import SCAN, Page
from docyard.pipeline import step as steps
from docyard.stages import STAGES, get_stage
from tests.pipeline.stage_runs import (
    VALUES,
    arrive,
    claim_document_job,
    fail,
    finish,
    list_outcomes,
    load_document,
    load_rows,
    run_stages,
    run_until,
)
from tests.queue.queue_workers import register_worker_committed
from tests.queue.sql_interface.sql_session import (
    fetch_queue_entry,
    get_source_status,
    list_job_outcomes,
    make_running,
    make_scheduled,
    set_queue_status,
    set_source_status,
)


@pytest.mark.parametrize(
    ("status", "ends", "terminal"),
    [("completed", "completed", "done"), ("error_parser", "failed", "dead"), ("cancelled", "cancelled", "cancelled")],
)
def test_completing_a_running_document_refuses_the_late_result_of_its_worker(
    database: Database, conn: Connection, workspace: UUID, status: str, ends: str, terminal: str
) -> None:
    document_id, lease = make_running(database, workspace)
    step = steps.Step(load_document(conn, document_id), get_stage("extract"))
    assert set_source_status(conn, document_id, status) == 1
    before = load_rows(conn, document_id)
    with database.transaction() as late:
        assert not steps.record(late, lease, step, VALUES["extract"], 1.0).accepted
    assert not fail(database, lease, Retry("network", "late"))
    assert queue.settle(conn, [Completion(lease)]) == set()
    assert load_rows(conn, document_id) == before
    assert list_job_outcomes(conn, document_id) == [terminal]
    assert (fetch_queue_entry(conn, document_id)["status"], get_source_status(conn, document_id)) == (ends, status)
    row = conn.execute("SELECT rejected FROM workers WHERE id = %s", (lease.worker_id,)).fetchone()
    assert row == {"rejected": 2}


def test_an_old_result_is_refused_after_the_document_was_requeued(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id, lease = make_running(database, workspace)
    set_source_status(conn, document_id, "error_x")
    (letter,) = load_rows(conn, document_id)["dead_letters"]
    assert letter["fence"] == lease.fence + 1
    assert set_source_status(conn, document_id, "pre_ocr_pending") == 1
    assert queue.settle(conn, [Completion(lease)]) == set()
    newer = claim_document_job(database, register_worker_committed(database))
    assert newer.job_id == lease.job_id
    assert newer.fence > lease.fence
    assert queue.settle(conn, [Completion(lease)]) == set()


def test_an_error_is_stored_with_its_status_text_and_processor(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    conn.execute(
        "UPDATE source_documents SET initial_processing_status = 'error_scanner', error_message = 'Page 3 {\"'"
    )
    shown = fetch_queue_entry(conn, document_id)
    assert shown["status"] == "failed"
    assert shown["final_status"] == "failed"
    assert shown["last_error"] == shown["error_message"]
    assert shown["last_error"] == 'Page 3 {"'
    (letter,) = queue.find_dead_letters(conn)
    assert (letter.category, letter.message) == ("outside", shown["last_error"])
    assert load_document(conn, document_id).reason == shown["last_error"]


@pytest.mark.parametrize("first", ["completed", "error_x", "cancelled"])
@pytest.mark.parametrize("then", ["completed", "error_x", "error_y", "cancelled", "ocr_failed"])
def test_an_ended_document_ignores_later_outcomes(
    database: Database, conn: Connection, workspace: UUID, first: str, then: str
) -> None:
    document_id = arrive(database, workspace)
    assert set_source_status(conn, document_id, first) == 1
    before = load_rows(conn, document_id)
    assert set_source_status(conn, document_id, then) == 0
    for status in ("completed", "failed", "cancelled"):
        assert set_queue_status(conn, document_id, status) == 0
    assert load_rows(conn, document_id) == before


@pytest.mark.parametrize("status", [None, "", "done", "ocr_complete", "Completed", "pending"])
def test_an_unknown_status_is_rejected_with_the_valid_ones(
    database: Database, conn: Connection, workspace: UUID, status: str | None
) -> None:
    document_id = arrive(database, workspace)
    before = load_rows(conn, document_id)
    with pytest.raises(psycopg.errors.InvalidParameterValue) as refusal:
        set_source_status(conn, document_id, status)
    assert refusal.value.diag.message_primary == (
        f"The status of a document cannot be set to {'NULL' if status is None else repr(status)}"
    )
    assert refusal.value.diag.message_hint == (
        "Set completed, cancelled, ocr_failed, error…, pending_intake, pre_ocr_pending, pre_ocr_processing or"
        " ocr_complete_pending_doc_node."
    )
    assert load_rows(conn, document_id) == before


@pytest.mark.parametrize("ended", ["completed", "error_x", "cancelled"])
def test_an_ended_document_can_be_requeued_and_completes(
    database: Database, conn: Connection, workspace: UUID, ended: str
) -> None:
    document_id = arrive(database, workspace)
    set_source_status(conn, document_id, ended)
    assert set_source_status(conn, document_id, "pre_ocr_pending") == 1
    assert load_document(conn, document_id).status == "pending"
    assert fetch_queue_entry(conn, document_id)["status"] == "pending"
    finish(database, register_worker_committed(database))
    assert load_document(conn, document_id).title == "Title"
    assert fetch_queue_entry(conn, document_id)["status"] == "completed"


def test_a_completed_document_is_requeued_only_if_it_is_retryable(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    finish(database, register_worker_committed(database))
    before = load_rows(conn, document_id)
    assert set_source_status(conn, document_id, "pre_ocr_pending") == 0
    assert set_queue_status(conn, document_id, "pending") == 0
    assert load_rows(conn, document_id) == before
    # As if no title had been found.
    conn.execute("UPDATE documents SET title = NULL, retryable = true")
    assert set_queue_status(conn, document_id, "pending") == 1
    (step, *_) = run_stages(database, claim_document_job(database, register_worker_committed(database)))
    assert step.stage.name == "classify"


def test_an_outcome_during_a_settlement_ends_the_next_job_too(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    """The worker settles its job and enqueues the next one, while the outcome waits for a lock."""
    document_id, lease = make_running(database, workspace)
    with ThreadPoolExecutor(1) as outside:
        with database.transaction() as worker:
            assert queue.settle(worker, [Completion(lease, "degraded", "crash", "x")])
            worker.execute("UPDATE documents SET stage = 'classify' WHERE id = %s", (document_id,))
            reported = outside.submit(set_source_status, conn, document_id, "completed")
            wait_for_lock(database)
            worker.execute(
                "INSERT INTO jobs (workspace_id, pool, tier, type, stage, document_id)"
                " VALUES (%s, 'classify', 1, 'document', 'classify', %s)",
                (workspace, document_id),
            )
        assert reported.result(timeout=30) == 1
    assert load_rows(conn, document_id)["jobs"] == []
    assert list_job_outcomes(conn, document_id) == ["degraded", "done"]
    assert load_document(conn, document_id).status == "completed"


def wait_for_lock(database: Database) -> None:
    with database.connect() as watcher:
        for _ in range(3000):
            if watcher.execute(
                "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
                " AND pid <> pg_backend_pid()"
            ).fetchall():
                return
            watcher.execute("SELECT pg_sleep(0.01)")
    raise AssertionError("no session waits for a lock")


def test_a_document_waiting_for_a_retry_can_be_completed(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = make_scheduled(database, workspace)
    assert set_source_status(conn, document_id, "completed") == 1
    assert list_job_outcomes(conn, document_id) == ["done"]
    assert load_rows(conn, document_id)["jobs"] == []
    assert fetch_queue_entry(conn, document_id)["retry_count"] == 1


def test_jobs_outside_the_pipeline_are_kept(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    conn.execute(
        "INSERT INTO jobs (workspace_id, pool, tier, type, document_id) VALUES (%s, 'extract', 1, 'document_ocr', %s)",
        (workspace, document_id),
    )
    set_source_status(conn, document_id, "completed")
    assert [row["type"] for row in load_rows(conn, document_id)["jobs"]] == ["document_ocr"]


@pytest.mark.parametrize(
    ("stage", "category", "again"), [("relate", "out_of_memory", 1), ("extract", "unsupported_file_type", 0)]
)
def test_requeueing_retries_degraded_stages_only_if_they_are_retryable(
    database: Database, conn: Connection, workspace: UUID, stage: str, category: str, again: int
) -> None:
    document_id, lease = make_running(database, workspace, stage)
    assert fail(database, lease, Reject(category, "No."))
    assert load_document(conn, document_id).status == "completed"
    assert set_source_status(conn, document_id, "pre_ocr_pending") == again
    assert [row["stage"] for row in load_rows(conn, document_id)["jobs"]] == [STAGES[0].name] * again
    if again:
        (step, *_) = run_stages(database, claim_document_job(database, register_worker_committed(database)))
        assert step.stage.name == stage, "the worker decides which stage is next"


def test_a_requeued_document_is_moved_to_the_pool_of_its_next_stage(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    """SQL enqueues the document for the entry stage; the worker that claims it moves it to OCR."""
    document_id = arrive(database, workspace)
    with database.transaction() as worker:
        (lease,) = queue.claim(worker, "fetch", register_worker_committed(database), 1)
    scan = ExtractedText((Page(1, "", source=SCAN),))
    run_until(database, lease, "extract")
    with database.transaction() as worker:
        step = steps.Step(load_document(worker, document_id), get_stage("extract"))
        assert steps.record(worker, lease, step, scan, 1.0).accepted
    assert set_queue_status(conn, document_id, "cancelled") == 1
    assert set_queue_status(conn, document_id, "pending") == 1
    assert [row["pool"] for row in load_rows(conn, document_id)["jobs"]] == ["fetch"]
    with database.transaction() as worker:
        (lease,) = queue.claim(worker, "fetch", register_worker_committed(database), 1)
        assert steps.begin(worker, lease) is None
    (job,) = load_rows(conn, document_id)["jobs"]
    assert (job["pool"], job["stage"], job["state"], job["attempts"]) == ("ocr", "ocr", "pending", 0)
    assert load_document(conn, document_id).stage == "ocr"


def test_a_retry_deletes_failed_results_only_before_its_first_attempt(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id, lease = make_running(database, workspace, "classify")
    assert fail(database, lease, Reject("out_of_memory", "No."))
    finish(database, register_worker_committed(database))
    assert list_outcomes(conn, document_id)["classify"] == "degraded"
    assert set_queue_status(conn, document_id, "pending") == 1
    lease = claim_document_job(database, register_worker_committed(database))
    run_until(database, lease, "fields")
    conn.execute("UPDATE documents SET title = NULL")  # as if classification had again found no title
    assert fail(database, lease, Retry("network", "Once more."))
    finished = conn.execute("SELECT finished_at FROM stage_results WHERE stage = 'classify'").fetchall()
    finish(database, register_worker_committed(database))
    again = conn.execute("SELECT finished_at FROM stage_results WHERE stage = 'classify'").fetchall()
    assert again == finished, "results from before the failed attempt are kept"
    assert load_document(conn, document_id).status == "completed"


def test_workers_and_listeners_are_notified(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = make_scheduled(database, workspace)
    conn.execute("LISTEN docyard_jobs")
    conn.execute("LISTEN docyard_documents")
    for change in ("pending_intake", "error_x", "pre_ocr_pending"):
        assert set_source_status(conn, document_id, change) == 1
        received = {(n.channel, n.payload) for n in conn.notifies(timeout=0.2)}
        jobs = set() if change == "error_x" else {("docyard_jobs", "fetch")}
        assert received == {("docyard_documents", f"{workspace}:{document_id}")} | jobs
