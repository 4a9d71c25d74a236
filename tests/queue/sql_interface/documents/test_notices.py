"""Tests that an UPDATE that changes nothing says why."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import JobFailure, NewJob
from tests.pipeline.stage_runs import arrive, finish
from tests.queue.queue_workers import register_worker, register_worker_committed
from tests.queue.sql_interface.sql_session import make_dead, set_queue_status, set_source_status


@pytest.fixture
def notices(conn: Connection) -> list[str]:
    """The notices that the connection has received."""
    received: list[str] = []
    conn.add_notice_handler(lambda notice: received.append(notice.message_primary or ""))
    return received


def test_a_document_that_has_the_status_already(
    database: Database, conn: Connection, workspace: UUID, notices: list[str]
) -> None:
    document_id = arrive(database, workspace)
    assert set_queue_status(conn, document_id, "pending") == 0
    assert set_source_status(conn, document_id, "pending_intake") == 0
    assert [text.partition(",")[0] for text in notices] == [
        "Document 1 is not changed: it already has the status pending",
        "Document 1 is not changed: it already has the status pending_intake",
    ]


def test_a_document_that_is_already_queued(
    database: Database, conn: Connection, workspace: UUID, notices: list[str]
) -> None:
    document_id = arrive(database, workspace)
    assert set_source_status(conn, document_id, "pre_ocr_pending") == 0
    assert notices == ["Document 1 is not changed: it is already queued."]


def test_a_document_that_has_ended(database: Database, conn: Connection, workspace: UUID, notices: list[str]) -> None:
    document_id = arrive(database, workspace)
    set_queue_status(conn, document_id, "completed")
    assert set_queue_status(conn, document_id, "failed") == 0
    assert set_source_status(conn, document_id, "error_x") == 0
    assert set_queue_status(conn, document_id, "processing") == 0
    assert notices == [
        "Document 1 is not changed: it has ended (completed) and ignores the status failed.",
        "Document 1 is not changed: it has ended (completed) and ignores the status error_x.",
        "Document 1 is not changed: it is completed and has to be queued first.",
    ]


def test_a_document_that_cannot_succeed(
    database: Database, conn: Connection, workspace: UUID, notices: list[str]
) -> None:
    document_id = make_dead(database, workspace, "encrypted")
    assert set_queue_status(conn, document_id, "pending") == 0
    assert set_source_status(conn, document_id, "pre_ocr_pending") == 0
    assert notices == ["Document 1 is not changed: it is failed and cannot succeed (category encrypted)."] * 2


def test_a_completed_document_without_a_stage_to_retry(
    database: Database, conn: Connection, workspace: UUID, notices: list[str]
) -> None:
    document_id = arrive(database, workspace)
    finish(database, register_worker_committed(database))
    assert set_queue_status(conn, document_id, "pending") == 0
    assert notices == ["Document 1 is not changed: it is completed and has no stage left to retry."]


def test_a_document_that_another_processor_holds(
    database: Database, conn: Connection, workspace: UUID, notices: list[str]
) -> None:
    number = arrive(database, workspace)
    conn.execute("UPDATE document_processing_queue SET status = 'processing', processor_id = 'ocr-1'")
    conn.execute("SELECT update_queue_status_with_history(1, 'processing', NULL, 'ocr-2')")
    assert notices == ["Document 1 is not changed: ocr-1 is already processing it."]
    assert set_queue_status(conn, number, "processing") == 0


@pytest.mark.parametrize("view", ["document_processing_queue", "source_documents", "extraction_jobs"])
def test_a_row_that_does_not_exist_or_is_not_visible(
    conn: Connection, web_database: Database, workspace: UUID, view: str, notices: list[str]
) -> None:
    column = "initial_processing_status" if view == "source_documents" else "status"
    change = f"UPDATE {view} SET {column} = 'cancelled'".encode()  # noqa: S608 (constant names)
    conn.execute(change)
    (text,) = notices
    assert text.startswith(f"No row of {view} matches. It does not exist, or the role ")
    with web_database.transaction(workspace) as web:
        web.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
        web.execute(change)
    assert notices[1].endswith(f"the role docyard_web does not see it in the workspace {workspace}.")


def test_an_update_that_changes_something_says_nothing(
    database: Database, conn: Connection, workspace: UUID, notices: list[str]
) -> None:
    document_id = arrive(database, workspace)
    assert set_queue_status(conn, document_id, "completed") == 1
    assert set_source_status(conn, document_id, "pending_intake") == 1
    assert notices == []


def test_extraction_jobs_say_why(conn: Connection, workspace: UUID, notices: list[str]) -> None:
    (job_id,) = queue.enqueue(conn, [NewJob(workspace, "fetch", "document_ocr")])
    change = "UPDATE extraction_jobs SET status = %s WHERE id = %s"
    assert conn.execute(change, ("pending", job_id)).rowcount == 0
    (lease,) = queue.claim(conn, "fetch", register_worker(conn), 1)
    assert conn.execute(change, ("pending", job_id)).rowcount == 0
    queue.settle(conn, [JobFailure(lease, "corrupt", "Bad.", final=True)])
    for status in ("pending", "cancelled"):
        assert conn.execute(change, (status, job_id)).rowcount == 0
    assert conn.execute(change, ("pending", uuid4())).rowcount == 0
    assert notices[:4] == [
        f"Job {job_id} is not changed: it already has the status pending.",
        f"Job {job_id} is not changed: it is processing and ignores the status pending.",
        f"Job {job_id} is not changed: it cannot succeed (category corrupt).",
        f"Job {job_id} is not changed: it is failed and ignores the status cancelled.",
    ]
    assert notices[4].startswith("No row of extraction_jobs matches.")
