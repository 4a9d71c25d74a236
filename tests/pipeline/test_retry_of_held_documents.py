"""Retry of a document that an outside processor has held for a long time."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.status import display_state
from docyard.pipeline.reruns import retry_document
from tests.pipeline.stage_runs import arrive, load_document, load_rows
from tests.queue.queue_workers import register_worker_committed
from tests.queue.sql_interface.sql_session import fetch_one, fetch_queue_entry, move_into_past

HOLD = (
    "UPDATE document_processing_queue SET status = 'processing', processor_id = %s"
    " WHERE source_document_uuid = %s AND status = 'pending'"
)


def hold_for_long(conn: Connection, document_id: UUID) -> dict[str, object]:
    """Let an outside processor hold a document for more than ten minutes; return the job."""
    assert conn.execute(HOLD, ("ocr-1", document_id)).rowcount == 1
    move_into_past(conn, document_id, "10 minutes 5 seconds")
    assert display_state(load_document(conn, document_id)).name == "stale"
    (job,) = load_rows(conn, document_id)["jobs"]
    return job


def insert_unfetchable(conn: Connection, workspace: UUID) -> UUID:
    insertion = (
        "INSERT INTO documents (workspace_id, name, original_path) VALUES (%s, 'n', 's3://b/n.pdf') RETURNING id"
    )
    document_id: UUID = fetch_one(conn, insertion, workspace)["id"]
    return document_id


@pytest.mark.parametrize("attempts", [0, 2])
def test_a_retry_takes_the_document_from_its_outside_processor(
    database: Database, web_database: Database, conn: Connection, workspace: UUID, attempts: int
) -> None:
    document_id = arrive(database, workspace)
    conn.execute("UPDATE jobs SET attempts = %s", (attempts,))
    held = hold_for_long(conn, document_id)
    for _ in range(2):  # a second click changes nothing
        with web_database.transaction(workspace) as web:
            assert retry_document(web, document_id) == held["id"]
        (job,) = load_rows(conn, document_id)["jobs"]
        assert (job["state"], job["attempts"], job["run_at"], job["started_at"]) == ("pending", 0, None, None)
        assert job["fence"] == held["fence"] + 1  # type: ignore[operator]
    assert display_state(load_document(conn, document_id)).name == "waiting"
    entry = fetch_queue_entry(conn, document_id)
    (taken,) = entry["failure_history"]
    assert (taken["processor"], taken["retry_count"], entry["processor_id"]) == ("ocr-1", attempts + 1, "ocr-1")
    with database.transaction() as worker:
        (lease,) = queue.claim(worker, "fetch", register_worker_committed(database), 5)
    assert (lease.attempts, lease.document_id) == (1, document_id)


def test_a_document_that_cannot_be_fetched_waits_for_the_next_processor(
    web_database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = insert_unfetchable(conn, workspace)
    held = hold_for_long(conn, document_id)
    with web_database.transaction(workspace) as web:
        assert retry_document(web, document_id) == held["id"]
    document = load_document(conn, document_id)
    assert (document.parked, display_state(document).name) == (True, "parked")
    assert (document.reason or "").startswith("Waits for an outside processor")
    (job,) = load_rows(conn, document_id)["jobs"]
    assert (job["state"], job["attempts"], job["started_at"]) == ("scheduled", 0, None)
    assert job["fence"] == held["fence"] + 1  # type: ignore[operator]
    assert conn.execute(HOLD, ("ocr-2", document_id)).rowcount == 1
    assert fetch_queue_entry(conn, document_id)["processor_id"] == "ocr-2"


def test_a_document_that_waits_for_children_is_not_marked_as_restarted(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    hold_for_long(conn, document_id)
    conn.execute("UPDATE jobs SET state = 'waiting', children = 1, children_left = 1")
    before = load_rows(conn, document_id)
    assert retry_document(conn, document_id) == before["jobs"][0]["id"]
    assert load_rows(conn, document_id) == before
