"""Tests of the view document_processing_queue and of its updates."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

import docyard
from docyard import queue
from docyard.db import Connection, Database
from docyard.db.objects import load_object_files
from docyard.errors import Reject, Retry, Wait
from docyard.model.failures import CATEGORIES, Category
from docyard.model.jobs import Completion
from docyard.stages import STAGES
from tests.pipeline.stage_runs import (
    arrive,
    claim_document_job,
    fail,
    fail_permanently,
    finish,
    load_document,
    load_rows,
    run_until,
)
from tests.queue.queue_workers import register_worker_committed
from tests.queue.sql_interface.sql_session import (
    fetch_one,
    fetch_queue_entry,
    get_source_status,
    list_job_outcomes,
    make_dead,
    make_running,
    make_scheduled,
    move_into_past,
    set_queue_status,
)

SOURCE = Path(docyard.__file__).parent
FIRST = {
    *("id", "source_document_id", "source_document_uuid", "status", "priority", "attempts", "max_attempts"),
    *("processor_id", "last_attempt_at", "last_error", "processing_started_at", "processing_completed_at"),
    *("created_at", "updated_at"),
}
SECOND = {
    *("retry_count", "max_retries", "error_message", "started_at", "completed_at", "processor_metadata"),
    *("final_status", "failure_history"),
}


def test_sql_contains_only_the_entry_stage_and_two_categories(conn: Connection) -> None:
    assert fetch_one(conn, "SELECT entry_stage() AS s") == {"s": STAGES[0].name}
    # These files define functions, views and named queries.
    files = [file for file in SOURCE.rglob("*.sql") if file.parent.name != "migrations"]
    assert {file.name for file in files} > {"claim_jobs.sql", "documents.sql", "settlement.sql"}
    known = {stage.name for stage in STAGES} | set(CATEGORIES)
    named = {(file.name, word) for file in files for word in _find_words(file.read_text()) if word in known}
    named = {(file, word) for file, word in named if file not in ("entry_stage.sql", "find_blockers.sql")}
    assert {word for _, word in named} == {"outside", "storage"}
    assert {file for file, word in named if word == "storage"} == {"breaker_allowance.sql"}
    assert CATEGORIES["outside"].retry is True  # end_document.sql stores it as retryable


def test_sql_refers_only_to_values_that_stages_produce(conn: Connection) -> None:
    texts = b"".join(file.text for file in load_object_files()).decode()
    named = set(re.findall(r"'(\w+)'", " ".join(re.findall(r"\.gives = (.+)", texts))))
    produced = {row["gives"] for row in conn.execute("SELECT gives FROM pools WHERE gives IS NOT NULL")}
    assert named == {"ExtractedText", "CanonicalMentions"}
    assert named <= produced


def _find_words(text: str) -> set[str]:
    code = re.sub(r"--.*|(\?|->>?) '\w+'", "", text)  # without comments and JSON keys
    return set(re.findall(r"'(\w+)'", code))


@pytest.mark.parametrize("category", CATEGORIES.values(), ids=lambda each: each.name)
def test_sql_reads_retryability_from_the_stored_flag(
    database: Database, conn: Connection, workspace: UUID, category: Category
) -> None:
    document_id = make_dead(database, workspace, category.name)
    assert fetch_one(conn, "SELECT retryable FROM dead_letters") == {"retryable": category.retry}
    assert set_queue_status(conn, document_id, "pending") == category.retry
    assert fetch_queue_entry(conn, document_id)["status"] == ("pending" if category.retry else "failed")


def test_duplicate_columns_have_the_same_values(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = make_scheduled(database, workspace)
    row = fetch_queue_entry(conn, document_id)
    assert set(row) >= FIRST | SECOND
    for first, second in [
        ("attempts", "retry_count"),
        ("max_attempts", "max_retries"),
        ("last_error", "error_message"),
        ("processing_started_at", "started_at"),
        ("processing_completed_at", "completed_at"),
    ]:
        assert row[first] == row[second]
    assert (row["retry_count"], row["max_retries"], row["priority"]) == (1, 3, 100)


def test_a_running_document_shows_its_worker_and_start(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id, lease = make_running(database, workspace)
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["final_status"], row["attempts"]) == ("processing", "processing", 1)
    assert row["processor_id"] == str(lease.worker_id) == row["processor_metadata"]["last_processor"]
    assert row["started_at"] <= row["last_attempt_at"]
    assert row["completed_at"] is None


def test_a_document_waiting_for_a_retry_is_shown_as_failed(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = make_scheduled(database, workspace, "No route to 'host' {")
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["final_status"], row["retry_count"]) == ("failed", "failed", 1)
    assert row["error_message"] == "No route to 'host' {"
    assert row["started_at"] is None
    assert row["completed_at"] is not None
    (failure,) = row["failure_history"]
    assert failure["error"] == "No route to 'host' {"
    assert (failure["retry_count"], failure["processor"]) == (1, row["processor_id"])
    assert datetime.fromisoformat(failure["failed_at"]).tzinfo


def test_a_snoozed_document_is_shown_as_pending(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id, lease = make_running(database, workspace)
    assert fail(database, lease, Wait("rate_limit", "Too many at once.", 30))
    assert fetch_queue_entry(conn, document_id)["status"] == "pending"
    assert set_queue_status(conn, document_id, "pending") == 0
    assert fetch_one(conn, "SELECT state FROM jobs") == {"state": "scheduled"}
    conn.execute("SELECT update_queue_status_with_history(1, 'pending')")
    assert fetch_one(conn, "SELECT state FROM jobs") == {"state": "pending"}


def test_a_dead_letter_is_shown_as_permanently_failed(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    fail_permanently(database, register_worker_committed(database), "extract", Reject("corrupt", "Damaged."))
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["final_status"], row["ocr_phase"]) == ("failed", "permanently_failed", "ocr_failed")
    assert (row["error_message"], row["attempts"]) == ("Damaged.", 1)
    assert get_source_status(conn, document_id) == "error_ocr_failed"
    conn.execute("DELETE FROM dead_letters")
    assert fetch_queue_entry(conn, document_id)["final_status"] == "permanently_failed"


def test_a_failure_after_extraction_is_shown_with_its_category(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    fail_permanently(database, register_worker_committed(database), "chunk", Reject("validation", "Nonsense."))
    assert get_source_status(conn, document_id) == "error_validation"
    assert fetch_queue_entry(conn, document_id)["ocr_phase"] == "ocr_complete"


def test_a_finished_document_keeps_its_row_after_its_history_is_pruned(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    finish(database, register_worker_committed(database))
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["attempts"]) == ("completed", 1)
    assert row["processor_id"] is not None
    conn.execute("DELETE FROM job_history")
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["final_status"], row["attempts"]) == ("completed", "completed", 0)


def test_the_earliest_of_several_live_stages_is_shown(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    conn.execute("UPDATE jobs SET stage = 'classify', pool = 'classify'")
    conn.execute(
        "INSERT INTO jobs (workspace_id, pool, tier, type, stage, document_id, attempts, max_attempts)"
        " SELECT workspace_id, s, 1, 'document', s, document_id, 4, 7"
        " FROM jobs, unnest('{chunk,extract}'::text[]) AS s"
    )
    conn.execute("UPDATE jobs SET attempts = 2 WHERE stage = 'extract'")
    row = fetch_queue_entry(conn, document_id)
    assert (row["attempts"], row["max_attempts"]) == (2, 7)


def test_a_deleted_document_is_missing_from_both_views(database: Database, conn: Connection, workspace: UUID) -> None:
    arrive(database, workspace)
    conn.execute("UPDATE documents SET deleted_at = now()")
    for view in ("source_documents", "document_processing_queue"):
        assert conn.execute(f"SELECT FROM {view}".encode()).fetchall() == []


def test_setting_pending_runs_a_scheduled_document_now(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = make_scheduled(database, workspace)
    assert set_queue_status(conn, document_id, "pending") == 1
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["retry_count"]) == ("pending", 1)
    with database.transaction() as worker:
        (lease,) = queue.claim(worker, "fetch", register_worker_committed(database), 1)
    assert (lease.document_id, lease.attempts) == (document_id, 2)


@pytest.mark.parametrize("name", [*CATEGORIES, "outside"])
def test_setting_pending_requeues_a_dead_letter_only_if_it_is_retryable(
    database: Database, conn: Connection, workspace: UUID, name: str
) -> None:
    document_id = make_dead(database, workspace, name)
    before = load_rows(conn, document_id)
    retryable = name not in CATEGORIES or CATEGORIES[name].retry
    assert set_queue_status(conn, document_id, "pending") == int(retryable)
    if not retryable:
        assert load_rows(conn, document_id) == before
        return
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["retry_count"]) == ("pending", 1)
    assert load_rows(conn, document_id)["dead_letters"] == []
    finish(database, register_worker_committed(database))
    assert fetch_queue_entry(conn, document_id)["status"] == "completed"


def test_setting_pending_restores_all_attempts_of_an_exhausted_document(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = make_dead(database, workspace, "network")
    conn.execute("UPDATE dead_letters SET attempts = max_attempts")
    assert set_queue_status(conn, document_id, "pending") == 1
    assert fetch_queue_entry(conn, document_id)["retry_count"] == 0
    assert fetch_one(conn, "SELECT replays FROM jobs") == {"replays": 1}


@pytest.mark.parametrize("attempts", [1, 3])
def test_setting_pending_takes_a_running_document_from_its_worker(
    database: Database, conn: Connection, workspace: UUID, attempts: int
) -> None:
    document_id, lease = make_running(database, workspace)
    conn.execute("UPDATE jobs SET attempts = %s", (attempts,))
    conn.execute(
        "UPDATE document_processing_queue SET status = 'pending', last_error = 'Timed out.',"
        " processing_started_at = NULL, processor_id = NULL WHERE status = 'processing'"
    )
    row = fetch_queue_entry(conn, document_id)
    assert row["status"] == ("pending" if attempts < 3 else "failed")
    assert row["failure_history"][-1]["error"].endswith("Timed out.")
    assert queue.settle(conn, [Completion(lease)]) == set()


@pytest.mark.parametrize("stage", ["waiting", "running", "backing off"])
def test_setting_cancelled_ends_queued_and_running_documents(
    database: Database, conn: Connection, workspace: UUID, stage: str
) -> None:
    if stage == "backing off":
        document_id = make_scheduled(database, workspace)
    elif stage == "running":
        document_id, _ = make_running(database, workspace)
    else:
        document_id = arrive(database, workspace)
    assert set_queue_status(conn, document_id, "cancelled") == 1
    assert list_job_outcomes(conn, document_id) == ["cancelled"]
    assert load_document(conn, document_id).status == "cancelled"
    assert get_source_status(conn, document_id) == "cancelled"


def test_the_priority_of_a_pending_document_can_be_changed(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    first, second = arrive(database, workspace, "1"), arrive(database, workspace, "2")
    moved = conn.execute("UPDATE document_processing_queue SET priority = 1 WHERE source_document_uuid = %s", (second,))
    assert moved.rowcount == 1
    with database.transaction() as worker:
        leases = queue.claim(worker, "fetch", register_worker_committed(database), 2)
    assert [(lease.document_id, lease.priority) for lease in leases] == [(second, 1), (first, 100)]
    assert fetch_queue_entry(conn, second)["priority"] == 1


@pytest.mark.parametrize("priority", [None, 40_000, -32_769])
def test_an_impossible_priority_is_rejected_with_the_range(
    database: Database, conn: Connection, workspace: UUID, priority: int | None
) -> None:
    arrive(database, workspace)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="priority cannot be") as refusal:
        conn.execute("UPDATE document_processing_queue SET priority = %s", (priority,))
    assert "-32768 to 32767" in (refusal.value.diag.message_hint or "")


@pytest.mark.parametrize("status", [None, "done", "permanently_failed"])
def test_an_unknown_status_is_rejected_with_the_valid_ones(
    database: Database, conn: Connection, workspace: UUID, status: str | None
) -> None:
    document_id = arrive(database, workspace)
    with pytest.raises(psycopg.errors.InvalidParameterValue) as refusal:
        set_queue_status(conn, document_id, status)
    assert refusal.value.diag.message_hint == "Set pending, processing, completed, failed or cancelled."
    assert fetch_queue_entry(conn, document_id)["status"] == "pending"


def test_entries_cannot_be_inserted_deleted_or_moved(database: Database, conn: Connection, workspace: UUID) -> None:
    arrive(database, workspace)
    for statement in (
        "INSERT INTO document_processing_queue (status) VALUES ('pending')",
        "DELETE FROM document_processing_queue",
        "UPDATE document_processing_queue SET source_document_id = 99",
    ):
        with pytest.raises(psycopg.Error, match="cannot"):
            conn.execute(statement.encode())


def test_health_counts_by_status_and_stuck_documents_are_listed(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    letter = make_dead(database, workspace, "corrupt")
    waiting = make_scheduled(database, workspace)
    held, _ = make_running(database, workspace)
    health = {row["status"]: row for row in conn.execute("SELECT * FROM queue_health_status")}
    assert set(health) == {"failed", "processing"}
    failed = health["failed"]
    assert (failed["count"], failed["permanently_failed_count"], failed["max_retries"]) == (2, 1, 1)
    assert failed["avg_retries"] == 1
    assert failed["oldest_document"] < failed["latest_update"]
    assert conn.execute("SELECT FROM stuck_documents").fetchall() == []
    for document_id, interval in ((letter, "2 hours"), (waiting, "59 minutes"), (held, "3 hours")):
        move_into_past(conn, document_id, interval)
    stuck = conn.execute("SELECT id, status, hours_since_update FROM stuck_documents").fetchall()
    assert [(row["id"], row["status"]) for row in stuck] == [(fetch_queue_entry(conn, held)["id"], "processing")]
    assert 3 <= stuck[0]["hours_since_update"] < 3.1


def test_a_retry_after_a_lost_worker_counts_as_another_attempt(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id, lease = make_running(database, workspace)
    fail(database, lease, Retry("worker_lost", "Gone."))
    assert fetch_queue_entry(conn, document_id)["status"] == "pending"
    lease = claim_document_job(database, register_worker_committed(database))
    run_until(database, lease, "extract")
    assert fetch_queue_entry(conn, document_id)["attempts"] == 2
