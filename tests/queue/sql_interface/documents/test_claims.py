"""Tests of the rule for claims by outside processors, which is the same for all ways to write them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Completion
from tests.pipeline.stage_runs import arrive, claim_document_job, load_rows, run_until
from tests.queue.queue_workers import register_worker_committed
from tests.queue.sql_interface.sql_session import (
    fetch_one,
    fetch_queue_entry,
    get_source_status,
    make_running,
    make_scheduled,
    set_queue_status,
    set_source_status,
)

Claim = Callable[[Connection, UUID, str], None]

# The statement with which processors of the second phase claim documents.
CLAIM_READ = """
WITH chosen AS (
    SELECT id FROM document_processing_queue
    WHERE status = 'ocr_complete' AND attempts < max_attempts LIMIT 5 FOR UPDATE SKIP LOCKED)
UPDATE document_processing_queue q SET status = 'processing', processor_id = %s
FROM chosen c WHERE q.id = c.id RETURNING q.source_document_uuid AS id
"""


def claim_in_queue(conn: Connection, document_id: UUID, processor: str, word: str) -> None:
    conn.execute(
        "UPDATE document_processing_queue SET status = %s, processor_id = %s WHERE source_document_uuid = %s",
        (word, processor, document_id),
    )


def claim_by_function(conn: Connection, document_id: UUID, processor: str, word: str) -> None:
    number = fetch_queue_entry(conn, document_id)["id"]
    conn.execute("SELECT update_queue_status_with_history(%s, %s, NULL, %s)", (number, word, processor))


def claim_source(conn: Connection, document_id: UUID, processor: str, word: str) -> None:
    del processor  # source_documents has no column for it
    set_source_status(conn, document_id, word)


CLAIMS = {
    f"{way.__name__} {word}": partial(way, word=word)
    for way in (claim_in_queue, claim_by_function, claim_source)
    for word in ("processing", "pre_ocr_processing")
}
every_claim = pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)


def park(conn: Connection, workspace: UUID, status: str = "pending_intake") -> UUID:
    """Create a document whose file Docyard cannot fetch."""
    insert = (
        "INSERT INTO source_documents (project_uuid, original_file_path, initial_processing_status)"
        " VALUES (%s, '/x.pdf', %s) RETURNING document_uuid AS id"
    )
    return UUID(str(fetch_one(conn, insert, workspace, status)["id"]))


def leave_read(conn: Connection, workspace: UUID, status: str = "pending_intake") -> UUID:
    """Create a document whose text an outside processor has read."""
    document_id = park(conn, workspace, status)
    claim_in_queue(conn, document_id, "ocr-1", "processing")
    assert set_source_status(conn, document_id, "ocr_complete_pending_doc_node") == 1
    return document_id


def make_running_read(database: Database, conn: Connection, workspace: UUID) -> tuple[UUID, Any]:
    """Create a document inserted as pre_ocr_pending whose text is read and that a worker runs."""
    document_id = arrive(database, workspace)
    conn.execute("UPDATE documents SET pre_ocr = true")
    lease = claim_document_job(database, register_worker_committed(database))
    run_until(database, lease, "chunk")
    return document_id, lease


def load_job(conn: Connection, document_id: UUID) -> dict[str, Any]:
    return fetch_one(
        conn,
        "SELECT fence, state, attempts, is_held(state, started_at) AS held FROM jobs WHERE document_id = %s",
        document_id,
    )


@every_claim
@pytest.mark.parametrize("state", ["waiting", "parked", "backing off", "read", "inserted as pre_ocr_pending, read"])
def test_a_claim_is_accepted_unless_the_document_is_being_processed(
    database: Database, conn: Connection, workspace: UUID, claim: Claim, state: str
) -> None:
    if state == "waiting":
        document_id = arrive(database, workspace)
    elif state == "backing off":
        document_id = make_scheduled(database, workspace)
    elif state == "parked":
        document_id = park(conn, workspace)
    else:
        document_id = leave_read(conn, workspace, "pending_intake" if state == "read" else "pre_ocr_pending")
    before = load_job(conn, document_id)
    claim(conn, document_id, "ocr-2")
    job = load_job(conn, document_id)
    assert (job["held"], job["fence"], job["attempts"]) == (True, before["fence"] + 1, before["attempts"])
    assert fetch_queue_entry(conn, document_id)["status"] == "processing"
    assert (get_source_status(conn, document_id) == "ocr_complete_pending_doc_node") == state.endswith("read")


@every_claim
@pytest.mark.parametrize("state", ["running", "running, read", "held", "read, and held again"])
def test_a_claim_is_refused_while_someone_processes_the_document(
    database: Database, conn: Connection, workspace: UUID, claim: Claim, state: str
) -> None:
    if state == "running":
        document_id, _ = make_running(database, workspace)
    elif state == "running, read":
        document_id, _ = make_running_read(database, conn, workspace)
    else:
        document_id = park(conn, workspace) if state == "held" else leave_read(conn, workspace, "pre_ocr_pending")
        claim_in_queue(conn, document_id, "ocr-1", "processing")
    before = load_rows(conn, document_id)
    notices: list[str] = []
    conn.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
    claim(conn, document_id, "ocr-2")
    assert load_rows(conn, document_id) == before
    (notice,) = notices
    assert notice.startswith("Document 1 is not changed: ")


def test_refusals_name_who_processes_the_document(database: Database, conn: Connection, workspace: UUID) -> None:
    running, _ = make_running(database, workspace)
    held = park(conn, workspace)
    claim_in_queue(conn, held, "ocr-1", "processing")
    notices: list[str] = []
    conn.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
    claim_source(conn, running, "", "processing")
    claim_by_function(conn, held, "ocr-2", "processing")
    assert notices == [
        "Document 1 is not changed: a worker is processing it.",
        "Document 2 is not changed: ocr-1 is already processing it.",
    ]


def test_the_second_phase_leaves_documents_to_their_workers(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id, lease = make_running_read(database, conn, workspace)
    assert fetch_queue_entry(conn, document_id)["status"] == "ocr_complete"
    assert conn.execute(CLAIM_READ, ("phase-2",)).fetchall() == []
    assert queue.settle(conn, [Completion(lease)]) == {lease.job_id}


def test_another_processor_takes_over_a_document_whose_text_is_read(conn: Connection, workspace: UUID) -> None:
    document_id = leave_read(conn, workspace, "pre_ocr_pending")
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["processor_id"]) == ("ocr_complete", "ocr-1")
    assert conn.execute(CLAIM_READ, ("phase-2",)).fetchall() == [{"id": document_id}]
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["ocr_phase"], row["attempts"]) == ("processing", "ocr_complete", 1)
    assert row["processor_id"] == "phase-2"
    assert conn.execute(CLAIM_READ, ("phase-3",)).fetchall() == []
    assert set_queue_status(conn, document_id, "completed") == 1
    assert fetch_queue_entry(conn, document_id)["processor_id"] == "phase-2"


def test_after_its_deadline_a_document_is_unread_again(conn: Connection, workspace: UUID) -> None:
    document_id = leave_read(conn, workspace, "pre_ocr_pending")
    conn.execute(CLAIM_READ, ("phase-2",))
    conn.execute("UPDATE jobs SET run_at = now()")
    queue.promote_due(conn)
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["attempts"]) == ("pre_ocr_pending", 0)
    claim_in_queue(conn, document_id, "ocr-3", "processing")
    assert fetch_queue_entry(conn, document_id)["status"] == "pre_ocr_processing"
