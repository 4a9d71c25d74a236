"""Tests of the statements in the operation guides, run with psql."""

from __future__ import annotations

from uuid import UUID

from docyard.db import Connection, Database
from tests.pipeline.stage_runs import arrive
from tests.queue.sql_interface.sql_session import (
    Psql,
    fetch_one,
    fetch_queue_entry,
    list_job_outcomes,
    make_dead,
    make_running,
    make_scheduled,
    move_into_past,
    set_source_status,
)


def make_documents(database: Database, conn: Connection, workspace: UUID) -> dict[str, UUID]:
    """Create a document in each state that operators encounter; return the ids by name."""
    made = {
        "scheduled": make_scheduled(database, workspace),
        "corrupt": make_dead(database, workspace, "corrupt", "It's damaged: {x"),
        "done": make_running(database, workspace)[0],
        "pending": arrive(database, workspace, "fresh"),
    }
    assert set_source_status(conn, made["done"], "completed") == 1
    return made


RESET = """
UPDATE document_processing_queue
SET status = 'pending',
    error_message = concat('Before: ', coalesce(error_message, 'nothing'), ', reset at ', now()::text),
    started_at = NULL, completed_at = NULL, updated_at = now()
WHERE status = 'failed' AND retry_count < 3 AND created_at > now() - interval '24 hours'
"""


def test_resetting_failed_documents(database: Database, conn: Connection, workspace: UUID, psql: Psql) -> None:
    made = make_documents(database, conn, workspace)
    assert psql(RESET) == "UPDATE 1"
    assert fetch_queue_entry(conn, made["scheduled"])["status"] == "pending"
    assert fetch_queue_entry(conn, made["corrupt"])["final_status"] == "permanently_failed"
    assert psql(RESET) == "UPDATE 0"


def test_resetting_the_last_day_keeps_older_failures(
    database: Database, conn: Connection, workspace: UUID, psql: Psql
) -> None:
    document_id = make_scheduled(database, workspace)
    move_into_past(conn, document_id, "25 hours")
    assert psql(RESET) == "UPDATE 0"
    short = (
        "UPDATE document_processing_queue SET status = 'pending', started_at = NULL, completed_at = NULL"
        " WHERE status = 'failed' AND retry_count < 3"
    )
    assert psql(short) == "UPDATE 1"


def test_counting_documents_by_status(database: Database, conn: Connection, workspace: UUID, psql: Psql) -> None:
    make_documents(database, conn, workspace)
    counts = psql("SELECT status, count(*), max(retry_count) FROM document_processing_queue GROUP BY status ORDER BY 1")
    assert counts.splitlines() == ["completed|1|1", "failed|2|1", "pending|1|0"]
    health = psql("SELECT status, count, permanently_failed_count FROM queue_health_status ORDER BY status")
    assert health.splitlines() == ["completed|1|0", "failed|2|1", "pending|1|0"]


def test_listing_failed_documents(database: Database, conn: Connection, workspace: UUID, psql: Psql) -> None:
    made = make_documents(database, conn, workspace)
    listed = psql(
        "SELECT id, source_document_id, retry_count, error_message FROM document_processing_queue"
        " WHERE status = 'failed' ORDER BY id"
    )
    ids = [fetch_queue_entry(conn, made[name])["id"] for name in ("scheduled", "corrupt")]
    assert listed.splitlines() == [f"{ids[0]}|{ids[0]}|1|No route.", f"{ids[1]}|{ids[1]}|1|It's damaged: {{x"]


def test_calling_the_reset_function(database: Database, conn: Connection, workspace: UUID, psql: Psql) -> None:
    move_into_past(conn, make_scheduled(database, workspace))
    assert psql("SELECT reset_failed_documents_for_retry()") == "1"
    assert psql("SELECT reset_failed_documents_for_retry()") == "0"


def test_inserting_documents_in_a_batch(conn: Connection, workspace: UUID, psql: Psql) -> None:
    done = psql(
        "INSERT INTO source_documents (project_uuid, original_file_path, original_file_name, s3_key,"
        " initial_processing_status)"
        " SELECT w.id, 's3://scans/' || n || '.pdf', n || '.pdf', n || '.pdf', 'pre_ocr_pending'"
        " FROM workspaces w, generate_series(1, 250) AS n WHERE w.name = 'Main'"
    )
    assert done == "INSERT 0 250"
    assert psql("SELECT status, count(*) FROM document_processing_queue GROUP BY status") == "pre_ocr_pending|250"


def test_an_outside_processor_completes_a_document(
    database: Database, conn: Connection, workspace: UUID, psql: Psql
) -> None:
    document_id, _ = make_running(database, workspace)
    number = fetch_queue_entry(conn, document_id)["id"]
    finished = f"UPDATE source_documents SET initial_processing_status = 'completed' WHERE id = {number}"  # noqa: S608 (a number)
    assert psql(finished) == "UPDATE 1"
    assert psql(finished) == "UPDATE 0"
    assert list_job_outcomes(conn, document_id) == ["done"]
    assert psql(f"SELECT status FROM document_processing_queue WHERE id = {number}") == "completed"  # noqa: S608 (a number)


def test_a_document_with_a_reported_error_is_reset(
    database: Database, conn: Connection, workspace: UUID, psql: Psql
) -> None:
    number = fetch_queue_entry(conn, arrive(database, workspace))["id"]
    psql(f"SELECT update_queue_status_with_history({number}, 'failed', 'Out of \"paper\" {{', 'ocr-3')")
    shown = psql("SELECT status, retry_count, failure_history -> 0 ->> 'processor' FROM document_processing_queue")
    assert shown == "failed|1|ocr-3"
    again = "UPDATE source_documents SET initial_processing_status = 'pre_ocr_pending'"
    assert psql(again) == "UPDATE 1"
    assert fetch_one(conn, "SELECT state, attempts FROM jobs") == {"state": "pending", "attempts": 1}


def test_no_document_is_stuck(psql: Psql) -> None:
    assert psql("SELECT id, status, hours_since_update FROM stuck_documents") == ""
