"""Tests of outside processors: claims by SQL, and documents that they hold."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Retry
from docyard.model.jobs import Completion
from docyard.worker.leases import put_back
from tests.pipeline.stage_runs import (
    arrive,
    claim_document_job,
    fail,
    finish,
    load_document,
    load_rows,
    run_stages,
)
from tests.queue.queue_workers import register_worker_committed
from tests.queue.sql_interface.sql_session import (
    fetch_one,
    fetch_queue_entry,
    get_source_status,
    list_job_outcomes,
    make_running,
    make_scheduled,
    set_queue_status,
    set_source_status,
)

# The statement with which processors claim documents.
CLAIM = """
WITH chosen AS (
    SELECT id FROM document_processing_queue
    WHERE status = %(status)s AND attempts < max_attempts
    ORDER BY priority, created_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
UPDATE document_processing_queue q
SET status = %(claimed)s, attempts = q.attempts + 1, last_attempt_at = now(), processing_started_at = now(),
    processor_id = %(processor)s, updated_at = now()
FROM chosen c WHERE q.id = c.id
RETURNING q.id, q.source_document_id, q.source_document_uuid, q.attempts, q.status
"""
Change = Callable[[Connection, UUID, str], int]
HOLD = "UPDATE document_processing_queue SET status = 'processing', processor_id = %s WHERE source_document_uuid = %s"


def claim(
    conn: Connection, limit: int, processor: str | None = "ocr-1", status: str = "pending"
) -> list[dict[str, Any]]:
    """Claim documents like an outside processor."""
    claimed = "pre_ocr_processing" if status == "pre_ocr_pending" else "processing"
    params = {"status": status, "limit": limit, "claimed": claimed, "processor": processor}
    return conn.execute(CLAIM, params).fetchall()


def expire(conn: Connection) -> None:
    """Let the deadline of held documents pass."""
    conn.execute("UPDATE jobs SET run_at = now() WHERE state = 'scheduled' AND run_at < now() + interval '1 day'")
    queue.promote_due(conn)


def test_a_claim_returns_each_document_once_in_order(database: Database, conn: Connection, workspace: UUID) -> None:
    ids = [arrive(database, workspace, str(n)) for n in range(4)]
    conn.execute("UPDATE document_processing_queue SET priority = 1 WHERE source_document_uuid = %s", (ids[3],))
    first = claim(conn, 2)
    assert {row["source_document_uuid"] for row in first} == {ids[3], ids[0]}
    assert {(row["attempts"], row["status"]) for row in first} == {(1, "processing")}
    assert {row["source_document_uuid"] for row in claim(conn, 5)} == {ids[1], ids[2]}
    assert claim(conn, 5) == []
    with database.transaction() as worker:
        assert queue.claim(worker, "fetch", register_worker_committed(database), 9) == [], "workers leave them alone"


def test_a_claim_skips_documents_that_another_transaction_has_locked(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    arrive(database, workspace, "1")
    second = arrive(database, workspace, "2")
    with database.transaction() as other:
        assert len(claim(other, 1, "ocr-1")) == 1
        assert [row["source_document_uuid"] for row in claim(conn, 2, "ocr-2")] == [second]
    assert claim(conn, 2) == []


def test_a_claim_does_not_wait_for_a_worker_that_is_settling(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    arrive(database, workspace)
    with database.transaction() as worker:
        worker.execute("SELECT FROM jobs FOR UPDATE")
        assert claim(conn, 1) == []
    assert len(claim(conn, 1)) == 1


@pytest.mark.parametrize("processor", ["ocr-1", None])
def test_concurrent_claims_never_return_a_document_twice(
    database: Database, workspace: UUID, processor: str | None
) -> None:
    for number in range(12):
        arrive(database, workspace, str(number))
    start = Barrier(4)
    got: list[UUID] = []

    def work() -> None:
        with database.connect() as own:
            start.wait(30)
            for _ in range(12):
                got.extend(row["source_document_uuid"] for row in claim(own, 2, processor))

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(got) == len(set(got)) == 12


def test_rows_that_wait_for_ocr_are_claimed_with_their_own_words(conn: Connection, workspace: UUID) -> None:
    conn.execute(
        "INSERT INTO source_documents (project_uuid, original_file_path, initial_processing_status)"
        " VALUES (%s, 's3://scans/1.pdf', 'pre_ocr_pending')",
        (workspace,),
    )
    assert claim(conn, 1) == []
    (row,) = claim(conn, 1, status="pre_ocr_pending")
    assert (row["status"], row["attempts"]) == ("pre_ocr_processing", 1)
    assert get_source_status(conn, row["source_document_uuid"]) == "pre_ocr_processing"


def test_the_web_role_claims_only_documents_of_its_workspace(
    database: Database, web_database: Database, workspace: UUID, other_workspace: UUID
) -> None:
    arrive(database, other_workspace, "theirs")
    mine = arrive(database, workspace, "mine")
    with web_database.transaction(workspace) as web:
        assert [row["source_document_uuid"] for row in claim(web, 9)] == [mine]
    with web_database.transaction() as web:
        assert claim(web, 9) == []


@pytest.mark.parametrize(
    ("state", "change", "word"),
    [
        ("pending", set_queue_status, "processing"),
        ("backing off", set_queue_status, "pre_ocr_processing"),
        ("pending", set_source_status, "processing"),
        ("backing off", set_source_status, "pre_ocr_processing"),
        ("pending", set_source_status, "ocr_complete_pending_doc_node"),
    ],
)
def test_a_document_can_be_held_before_and_between_attempts(
    database: Database, conn: Connection, workspace: UUID, state: str, change: Change, word: str
) -> None:
    document_id = arrive(database, workspace) if state == "pending" else make_scheduled(database, workspace)
    assert change(conn, document_id, word) == 1
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["attempts"]) == ("processing", 1 if state == "pending" else 2)
    read = word == "ocr_complete_pending_doc_node"
    assert get_source_status(conn, document_id) == (word if read else "pre_ocr_processing")
    assert row["started_at"] is not None


def test_a_worker_loses_a_document_that_an_outside_processor_takes(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id, lease = make_running(database, workspace)
    assert set_source_status(conn, document_id, "ocr_complete_pending_doc_node") == 1
    assert queue.settle(conn, [Completion(lease)]) == set()
    assert not fail(database, lease, Retry("network", "late"))
    assert fetch_one(conn, "SELECT attempts, worker_id FROM jobs") == {"attempts": 0, "worker_id": None}


@pytest.mark.parametrize(
    ("outcome", "terminal"), [("completed", "done"), ("failed", "dead"), ("cancelled", "cancelled")]
)
def test_an_outcome_ends_the_hold_and_keeps_the_processor(
    database: Database, conn: Connection, workspace: UUID, outcome: str, terminal: str
) -> None:
    document_id = arrive(database, workspace)
    assert conn.execute(HOLD, ("ocr-7", document_id)).rowcount == 1
    assert fetch_queue_entry(conn, document_id)["processor_id"] == "ocr-7"
    assert set_queue_status(conn, document_id, outcome) == 1
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["processor_id"], row["attempts"]) == (outcome, "ocr-7", 1)
    assert row["processor_metadata"]["last_processor"] == "ocr-7"
    assert list_job_outcomes(conn, document_id) == [terminal]


def test_a_held_document_returns_to_the_queue_after_the_deadline(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    conn.execute(HOLD, ("ocr-7", document_id))
    due = fetch_one(conn, "SELECT extract(epoch FROM run_at - now()) AS seconds FROM jobs")["seconds"]
    deadline = fetch_one(conn, "SELECT deadline_seconds AS s FROM pools WHERE pool = 'fetch'")["s"]
    assert deadline - 60 < due <= deadline
    expire(conn)
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], get_source_status(conn, document_id)) == ("pending", "pre_ocr_pending")
    assert row["error_message"] == "The outside processor ocr-7 reported no outcome in time."
    (failure,) = row["failure_history"]
    assert (failure["processor"], failure["retry_count"], failure["category"]) == ("ocr-7", 1, "outside")
    finish(database, register_worker_committed(database))
    assert load_document(conn, document_id).status == "completed"


def test_promotion_leaves_documents_alone_that_a_worker_processes(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id, _ = make_running(database, workspace)
    conn.execute(
        "INSERT INTO jobs (workspace_id, pool, tier, type, document_id, state, run_at)"
        " VALUES (%s, 'extract', 1, 'document_ocr', %s, 'scheduled', now())",
        (workspace, document_id),
    )
    expire(conn)
    assert load_document(conn, document_id).status == "processing"
    assert fetch_one(conn, "SELECT failure_history AS h FROM jobs WHERE type = 'document_ocr'") == {"h": []}


@pytest.mark.parametrize(("attempts", "status"), [(0, "pending"), (2, "failed")])
def test_resetting_a_held_document_spends_its_attempt(
    database: Database, conn: Connection, workspace: UUID, attempts: int, status: str
) -> None:
    document_id = arrive(database, workspace)
    conn.execute("UPDATE jobs SET attempts = %s", (attempts,))
    conn.execute(HOLD, ("ocr-7", document_id))
    change = "UPDATE document_processing_queue SET status = 'pending', last_error = 'Stalled.', processor_id = NULL"
    assert conn.execute(change.encode()).rowcount == 1
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["attempts"]) == (status, attempts + 1)
    assert row["failure_history"][-1]["error"].endswith("Stalled.")
    assert row["failure_history"][-1]["processor"] == "ocr-7"


@pytest.mark.parametrize("ended", ["completed", "failed", "cancelled"])
def test_an_ended_document_cannot_be_held(database: Database, conn: Connection, workspace: UUID, ended: str) -> None:
    document_id = arrive(database, workspace)
    set_queue_status(conn, document_id, ended)
    before = load_rows(conn, document_id)
    assert set_queue_status(conn, document_id, "processing") == 0
    assert set_source_status(conn, document_id, "pre_ocr_processing") == 0
    assert load_rows(conn, document_id) == before


def test_a_held_document_cannot_be_claimed_by_a_worker_of_docyard(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    held, free = arrive(database, workspace, "1"), arrive(database, workspace, "2")
    conn.execute(HOLD, ("ocr-7", held))
    with database.transaction() as worker:
        leases = queue.claim(worker, "fetch", register_worker_committed(database), 5)
    assert [lease.document_id for lease in leases] == [free]
    assert claim_document_job(database, register_worker_committed(database)).document_id == held


def test_a_job_that_waits_for_a_lock_is_not_held(database: Database, conn: Connection, workspace: UUID) -> None:
    document = arrive(database, workspace)
    lease = claim_document_job(database, register_worker_committed(database))
    next(run_stages(database, lease))
    with database.transaction() as operator:
        operator.execute("SELECT FROM documents WHERE id = %s FOR UPDATE", (document,))
        put_back(database, lease)
    assert load_document(conn, document).status == "processing", "its row was locked, so it could not be changed"
    assert fetch_queue_entry(conn, document)["attempts"] == 0
    expire(conn)
    job = fetch_one(conn, "SELECT state, attempts, failure_history -> -1 ? 'held' AS held FROM jobs")
    assert job == {"state": "pending", "attempts": 0, "held": False}
