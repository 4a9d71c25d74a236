"""Tests of documents whose file this installation cannot fetch: they wait for an outside processor."""

from __future__ import annotations

from hashlib import sha256
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.status import display_state
from docyard.pipeline import step as steps
from docyard.pipeline.reruns import retry_document
from docyard.queue import monitor
from tests.pipeline.stage_runs import claim_document_job, load_document
from tests.queue.queue_workers import register_worker_committed
from tests.queue.sql_interface.sql_session import (
    fetch_one,
    fetch_queue_entry,
    fetch_source_document,
    get_source_status,
    list_job_outcomes,
    move_into_past,
    set_queue_status,
    set_source_status,
)

ADD = (
    "INSERT INTO source_documents (project_uuid, original_file_path, initial_processing_status)"
    " VALUES (%s, %s, %s) RETURNING document_uuid AS id"
)
WHY = "Waits for an outside processor: Docyard cannot fetch s3://scans/1.pdf."


@pytest.fixture
def parked(conn: Connection, workspace: UUID) -> UUID:
    """The id of a document in a bucket that Docyard cannot read."""
    return add(conn, workspace)


def add(conn: Connection, workspace: UUID, path: str = "s3://scans/1.pdf", status: str = "pending_intake") -> UUID:
    return UUID(str(fetch_one(conn, ADD, workspace, path, status)["id"]))


def run_worker(database: Database) -> None:
    """Let a worker claim the job of the document, even if it is not due, and begin with it."""
    lease = claim_document_job(database, register_worker_committed(database))
    with database.transaction() as conn:
        assert steps.begin(conn, lease) is None


@pytest.mark.parametrize(
    ("path", "status", "shown"),
    [
        ("s3://scans/1.pdf", "pending_intake", "pending"),
        ("s3://scans/1.pdf", "pre_ocr_pending", "pre_ocr_pending"),
        ("/scans/1.pdf", "pending_intake", "pending"),
    ],
)
def test_it_waits_with_a_reason_and_workers_leave_it_alone(
    database: Database, conn: Connection, workspace: UUID, path: str, status: str, shown: str
) -> None:
    document_id = add(conn, workspace, path, status)
    reason = f"Waits for an outside processor: Docyard cannot fetch {path}."
    source, row = fetch_source_document(conn, document_id), fetch_queue_entry(conn, document_id)
    assert (source["initial_processing_status"], source["error_message"]) == (status, reason)
    assert (row["status"], row["error_message"], row["attempts"]) == (shown, reason, 0)
    queue.promote_due(conn)
    with database.transaction() as worker:
        assert queue.claim(worker, "fetch", register_worker_committed(database), 9) == []
    document = load_document(conn, document_id)
    assert (document.status, document.reason, document.retry_at) == ("pending", reason, None)


def test_rows_copied_into_the_table_wait_too(conn: Connection, workspace: UUID) -> None:
    with conn.cursor().copy("COPY documents (workspace_id, name, original_path) FROM STDIN") as copy:
        copy.write_row((workspace, "a", "s3://scans/1.pdf"))
    assert fetch_one(conn, "SELECT status, reason FROM documents") == {"status": "pending", "reason": WHY}
    assert fetch_one(conn, "SELECT state FROM jobs") == {"state": "scheduled"}


def test_a_document_with_bytes_and_a_path_is_processed_as_before(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    digest = sha256(b"x").hexdigest()
    conn.execute(
        "INSERT INTO documents (workspace_id, name, original_path, blob_key) VALUES (%s, 'a', 's3://b/a', %s)",
        (workspace, f"{workspace}/{digest}"),
    )
    assert fetch_one(conn, "SELECT reason FROM documents") == {"reason": None}
    with database.transaction() as worker:
        (lease,) = queue.claim(worker, "fetch", register_worker_committed(database), 9)
        assert steps.begin(worker, lease)


@pytest.mark.parametrize(("status", "shown"), [("pending_intake", "pending"), ("pre_ocr_pending", "pre_ocr_pending")])
def test_a_document_that_names_only_its_file_waits_too(
    database: Database, conn: Connection, workspace: UUID, status: str, shown: str
) -> None:
    insert = (
        "INSERT INTO source_documents (project_uuid, original_file_name, initial_processing_status)"
        " VALUES (%s, '1.pdf', %s) RETURNING document_uuid AS id"
    )
    document_id = fetch_one(conn, insert, workspace, status)["id"]
    reason = "Waits for an outside processor: it was added without a file or a path."
    run_worker(database)
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["error_message"], row["attempts"]) == (shown, reason, 0)
    assert display_state(load_document(conn, document_id)).name == "parked"
    assert get_source_status(conn, document_id) == status
    assert set_queue_status(conn, document_id, "processing") == 1
    assert set_source_status(conn, document_id, "error_x") == 1
    assert set_queue_status(conn, document_id, "pending") == 1
    assert fetch_queue_entry(conn, document_id)["error_message"] == reason
    assert set_source_status(conn, document_id, "completed") == 1
    assert display_state(load_document(conn, document_id)).name == "normal"


@pytest.mark.parametrize(
    ("outcome", "ends", "terminal"),
    [("completed", "completed", "done"), ("error_x", "failed", "dead"), ("cancelled", "cancelled", "cancelled")],
)
def test_it_accepts_outcomes_and_resets(conn: Connection, parked: UUID, outcome: str, ends: str, terminal: str) -> None:
    assert set_source_status(conn, parked, outcome) == 1
    assert fetch_queue_entry(conn, parked)["status"] == ends
    assert list_job_outcomes(conn, parked) == [terminal]
    assert set_queue_status(conn, parked, "pending") == 1
    row = fetch_queue_entry(conn, parked)
    assert (row["status"], row["error_message"]) == ("pending", WHY)
    assert get_source_status(conn, parked) == "pending_intake"
    assert fetch_one(conn, "SELECT state FROM jobs") == {"state": "scheduled"}


def test_failures_count_as_attempts_so_that_resets_end(conn: Connection, parked: UUID) -> None:
    counts = []
    for _ in range(3):
        set_source_status(conn, parked, "error_x")
        reset = fetch_one(conn, "SELECT reset_failed_documents_for_retry('0') AS n")["n"]
        counts.append((fetch_queue_entry(conn, parked)["retry_count"], reset))
    assert counts == [(1, 1), (2, 1), (3, 0)]
    assert fetch_queue_entry(conn, parked)["final_status"] == "permanently_failed"


def test_a_worker_that_gets_it_parks_it_without_an_attempt(database: Database, conn: Connection, parked: UUID) -> None:
    """For example after a user's retry, or if it was queued by an earlier release."""
    set_source_status(conn, parked, "error_x")
    with database.transaction() as user:
        assert retry_document(user, parked)
    run_worker(database)
    row = fetch_queue_entry(conn, parked)
    assert (row["status"], row["attempts"], row["error_message"]) == ("pending", 0, WHY)
    assert fetch_one(conn, "SELECT state, worker_id FROM jobs") == {"state": "scheduled", "worker_id": None}
    assert set_source_status(conn, parked, "completed") == 1


def test_processors_that_report_nothing_use_up_the_attempts(database: Database, conn: Connection, parked: UUID) -> None:
    seen = []
    for _ in range(3):
        assert set_queue_status(conn, parked, "processing") == 1
        run_worker(database)  # after the deadline
        row = fetch_queue_entry(conn, parked)
        seen.append((row["status"], row["attempts"]))
    assert seen == [("pending", 1), ("pending", 2), ("failed", 3)]
    row = fetch_queue_entry(conn, parked)
    assert row["final_status"] == "permanently_failed"
    assert row["error_message"] == "No attempt of an outside processor ended with an outcome."
    assert len(row["failure_history"]) == 4


def test_it_is_stuck_after_an_hour(conn: Connection, parked: UUID) -> None:
    move_into_past(conn, parked, "59 minutes")
    assert conn.execute("SELECT FROM stuck_documents").fetchall() == []
    assert monitor.find_stuck_documents(conn) == []
    move_into_past(conn, parked, "2 minutes")
    stuck = fetch_one(conn, "SELECT source_document_uuid AS id, status, error_message FROM stuck_documents")
    assert stuck == {"id": parked, "status": "pending", "error_message": WHY}
    (line,) = monitor.find_stuck_documents(conn)
    assert (line.id, line.reason) == (parked, WHY)


def test_it_says_so_if_a_reset_changes_nothing(conn: Connection, parked: UUID) -> None:
    assert set_queue_status(conn, parked, "pending") == 0
    assert fetch_one(conn, "SELECT requeue_document(%s, NULL) AS r", parked) == {"r": False}


def test_a_retry_leaves_it_to_the_outside_processor(conn: Connection, parked: UUID) -> None:
    assert retry_document(conn, parked) is None
    assert set_queue_status(conn, parked, "processing") == 1
    assert retry_document(conn, parked) is None
    assert set_source_status(conn, parked, "completed") == 1
    assert retry_document(conn, parked) is None, "there is nothing to classify"
    assert display_state(load_document(conn, parked)).name == "normal"
