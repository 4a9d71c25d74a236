"""Regression tests for bugs that similar queues had in their SQL."""

from __future__ import annotations

from uuid import UUID

import psycopg
import pytest

from docyard.db import Connection, Database
from tests.pipeline.stage_runs import arrive, claim_document_job, load_document
from tests.queue.queue_workers import register_worker_committed
from tests.queue.sql_interface.sql_session import (
    fetch_one,
    fetch_queue_entry,
    fetch_source_document,
    get_source_status,
    list_job_outcomes,
    make_dead,
    make_running,
    make_scheduled,
    set_source_status,
)

# The statement with which operators recover stalled documents.
STALLED = (
    "UPDATE document_processing_queue SET status = 'pending', last_error = 'Processing timed out.',"
    " processing_started_at = NULL, processor_id = NULL, updated_at = now() WHERE status = 'processing'"
)
UNSAID = "An outside processor set the status to failed."
NASTY = ["plain words", '{"half": ', 'it\'s "quoted"', "[]", "null", "{}}{", "", "\\u0000", "100% %s"]


def test_an_exhausted_stalled_document_does_not_stay_processing(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id, _ = make_running(database, workspace)
    conn.execute("UPDATE jobs SET attempts = max_attempts")
    assert conn.execute(STALLED.encode()).rowcount == 1
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["final_status"]) == ("failed", "permanently_failed")
    assert row["attempts"] == row["max_attempts"]
    assert list_job_outcomes(conn, document_id) == ["dead"]


@pytest.mark.parametrize("status", ["error_ocr", "ocr_failed", "completed"])
@pytest.mark.parametrize("state", ["waiting", "running", "backing off"])
def test_an_outcome_in_the_ocr_phase_ends_the_queue_entry(
    database: Database, conn: Connection, workspace: UUID, state: str, status: str
) -> None:
    if state == "backing off":
        document_id = make_scheduled(database, workspace)
    elif state == "running":
        document_id, _ = make_running(database, workspace, "extract")
    else:
        document_id = arrive(database, workspace)
    assert get_source_status(conn, document_id) in ("pending_intake", "pre_ocr_pending", "pre_ocr_processing")
    assert set_source_status(conn, document_id, status) == 1
    assert fetch_queue_entry(conn, document_id)["status"] == ("completed" if status == "completed" else "failed")
    assert fetch_one(conn, "SELECT count(*) AS n FROM jobs") == {"n": 0}
    assert len(list_job_outcomes(conn, document_id)) == 1
    assert load_document(conn, document_id).completed_at


def test_a_document_inserted_without_a_status_can_fail(conn: Connection, workspace: UUID) -> None:
    made = fetch_one(
        conn,
        "INSERT INTO source_documents (project_uuid, original_file_name, initial_processing_status)"
        " VALUES (%s, 'a', NULL) RETURNING document_uuid AS id",
        workspace,
    )
    assert fetch_source_document(conn, made["id"])["initial_processing_status"] == "pending_intake"
    assert set_source_status(conn, made["id"], "error") == 1
    assert list_job_outcomes(conn, made["id"]) == ["dead"]


def test_both_error_columns_write_to_the_same_row(database: Database, conn: Connection, workspace: UUID) -> None:
    for column in ("error_message", "last_error"):
        document_id = arrive(database, workspace, column)
        change = f"UPDATE document_processing_queue SET status = 'failed', {column} = 'why'"  # noqa: S608 (constant text)
        conn.execute(f"{change} WHERE source_document_uuid = %s".encode(), (document_id,))
        row = fetch_queue_entry(conn, document_id)
        assert row["error_message"] == row["last_error"] == "why"
        assert row["completed_at"] == row["processing_completed_at"] is not None


@pytest.mark.parametrize("text", NASTY)
def test_a_plain_error_text_does_not_abort_the_reset(
    database: Database, conn: Connection, workspace: UUID, text: str
) -> None:
    first = make_scheduled(database, workspace, text)
    second = arrive(database, workspace)
    conn.execute(
        "SELECT update_queue_status_with_history(%s, 'failed', %s, %s)",
        (fetch_queue_entry(conn, second)["id"], text, text),
    )
    assert fetch_one(conn, "SELECT reset_failed_documents_for_retry('0') AS n") == {"n": 2}
    assert fetch_queue_entry(conn, first)["failure_history"][0]["error"] == text
    assert fetch_queue_entry(conn, second)["failure_history"][0]["error"] == (text or UNSAID)


def test_a_document_that_cannot_succeed_is_not_requeued(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = make_dead(database, workspace, "encrypted")
    assert fetch_one(conn, "SELECT reset_failed_documents_for_retry('0') AS n") == {"n": 0}
    reset = conn.execute("UPDATE document_processing_queue SET status = 'pending' WHERE status = 'failed'")
    assert reset.rowcount == 0
    assert list_job_outcomes(conn, document_id) == ["dead"]
    assert "retry_history" not in fetch_queue_entry(conn, document_id)["processor_metadata"]


def test_the_retry_count_increases_with_every_attempt(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = make_scheduled(database, workspace)
    counts = [fetch_queue_entry(conn, document_id)["retry_count"]]
    for _ in range(2):
        assert fetch_one(conn, "SELECT reset_failed_documents_for_retry('0') AS n") == {"n": 1}
        claim_document_job(database, register_worker_committed(database))
        counts.append(fetch_queue_entry(conn, document_id)["retry_count"])
        set_source_status(conn, document_id, "error_again")
    assert counts == [1, 2, 3]
    assert fetch_one(conn, "SELECT reset_failed_documents_for_retry('0') AS n") == {"n": 0}


def test_writes_are_restricted_like_reads(
    conn: Connection, web_database: Database, workspace: UUID, other_workspace: UUID
) -> None:
    add = "INSERT INTO extraction_jobs (yacht_id, job_type) VALUES (%s, 'email_embedding')"
    with web_database.transaction(workspace) as web:
        web.execute(add, (workspace,))
    for of_workspace in (other_workspace, None):
        with pytest.raises(psycopg.Error), web_database.transaction(of_workspace) as web:
            web.execute(add, (workspace,))
    assert fetch_one(conn, "SELECT yacht_id FROM extraction_jobs") == {"yacht_id": workspace}
