"""Tests of documents that were inserted as pre_ocr_pending: their states are named by the phase of OCR."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest

from docyard.db import Connection, Database
from docyard.errors import Reject, Retry
from docyard.model.jobs import Lease
from tests.pipeline.stage_runs import arrive, claim_document_job, fail, finish, run_stages, run_until
from tests.queue.queue_workers import register_worker_committed
from tests.queue.sql_interface.sql_session import (
    fetch_one,
    fetch_queue_entry,
    get_source_status,
    move_into_past,
    set_queue_status,
    set_source_status,
)

ADD = (
    "INSERT INTO documents (workspace_id, name, blob_key, pre_ocr)"
    " VALUES (%(w)s, 'a.pdf', %(w)s || '/x', true) RETURNING id"
)


@pytest.fixture
def announced(conn: Connection, workspace: UUID) -> UUID:
    """The id of a document like those that are inserted as pre_ocr_pending, but with a file."""
    return add(conn, workspace)


def add(conn: Connection, workspace: UUID) -> UUID:
    (row,) = conn.execute(ADD, {"w": workspace}).fetchall()
    return UUID(str(row["id"]))


def start(database: Database, stage: str) -> Lease:
    """Claim the document and run it up to this stage."""
    lease = claim_document_job(database, register_worker_committed(database))
    run_until(database, lease, stage)
    return lease


def read_words(conn: Connection, document_id: UUID) -> tuple[str, str]:
    """Return the status of the document in the queue and in source_documents."""
    return fetch_queue_entry(conn, document_id)["status"], get_source_status(conn, document_id)


def test_the_status_follows_the_phase_of_ocr(database: Database, conn: Connection, announced: UUID) -> None:
    seen = [read_words(conn, announced)]
    lease = claim_document_job(database, register_worker_committed(database))
    seen += [
        read_words(conn, announced)
        for step in run_stages(database, lease)
        if step.stage.name in ("extract", "classify", "chunk")
    ]
    seen.append(read_words(conn, announced))
    assert seen == [
        ("pre_ocr_pending", "pre_ocr_pending"),
        ("pre_ocr_processing", "pre_ocr_processing"),
        ("ocr_complete", "ocr_complete_pending_doc_node"),
        ("ocr_complete", "ocr_complete_pending_doc_node"),
        ("completed", "completed"),
    ]


def test_a_failure_before_the_text_is_read_is_ocr_failed(database: Database, conn: Connection, announced: UUID) -> None:
    lease = start(database, "extract")
    fail(database, lease, Retry("network", "Gone."))
    row = fetch_queue_entry(conn, announced)
    assert (row["status"], row["final_status"]) == ("ocr_failed", "ocr_failed")
    lease = start(database, "extract")
    fail(database, lease, Reject("corrupt", "Damaged."))
    row = fetch_queue_entry(conn, announced)
    assert (row["status"], row["final_status"]) == ("ocr_failed", "permanently_failed")
    assert get_source_status(conn, announced) == "ocr_failed"


def test_a_failure_after_the_text_is_read_is_failed(database: Database, conn: Connection, announced: UUID) -> None:
    lease = start(database, "chunk")
    fail(database, lease, Retry("network", "Gone."))
    assert fetch_queue_entry(conn, announced)["status"] == "failed"
    lease = start(database, "chunk")
    fail(database, lease, Reject("validation", "Nonsense."))
    assert fetch_queue_entry(conn, announced)["status"] == "failed"
    found = conn.execute("SELECT source_document_uuid AS id FROM document_processing_queue WHERE status = 'failed'")
    assert [row["id"] for row in found] == [announced]


@pytest.mark.parametrize("claimed_again", [False, True])
@pytest.mark.parametrize(
    ("change", "word", "shown"),
    [
        (set_queue_status, "failed", ("failed", "error_outside")),
        (set_source_status, "error_parser", ("failed", "error_parser")),
        (set_source_status, "ocr_failed", ("ocr_failed", "ocr_failed")),
        (set_source_status, "error_ocr_failed", ("ocr_failed", "error_ocr_failed")),
    ],
)
def test_a_failure_after_an_outside_processor_has_read_the_text_is_failed(
    conn: Connection,
    announced: UUID,
    change: Callable[[Connection, UUID, str], int],
    word: str,
    shown: tuple[str, str],
    *,
    claimed_again: bool,
) -> None:
    assert set_source_status(conn, announced, "ocr_complete_pending_doc_node") == 1
    if claimed_again:
        assert set_queue_status(conn, announced, "processing") == 1
    assert change(conn, announced, word) == 1
    assert read_words(conn, announced) == shown
    row = fetch_queue_entry(conn, announced)
    assert (row["final_status"], row["ocr_phase"]) == (shown[0], "ocr_complete" if shown[0] == "failed" else shown[0])
    assert set_queue_status(conn, announced, "pending") == 1
    assert read_words(conn, announced) == ("pre_ocr_pending", "pre_ocr_pending")
    assert set_queue_status(conn, announced, "failed") == 1
    assert read_words(conn, announced) == ("ocr_failed", "ocr_failed"), "the next attempt has not read it"


@pytest.mark.parametrize("word", ["pre_ocr_pending", "pending"])
def test_an_ocr_failed_row_is_reset_with_either_word(conn: Connection, announced: UUID, word: str) -> None:
    assert set_source_status(conn, announced, "ocr_failed") == 1
    assert read_words(conn, announced) == ("ocr_failed", "ocr_failed")
    assert set_queue_status(conn, announced, word) == 1
    row = fetch_queue_entry(conn, announced)
    assert (row["status"], row["retry_count"]) == ("pre_ocr_pending", 1)
    assert set_queue_status(conn, announced, "pending") == 0


def test_the_queue_accepts_the_words_of_ocr(conn: Connection, announced: UUID) -> None:
    for word in ("pre_ocr_processing", "ocr_complete", "ocr_failed", "pre_ocr_pending"):
        assert set_queue_status(conn, announced, word) == 1
        assert fetch_queue_entry(conn, announced)["status"] == word
    assert set_queue_status(conn, announced, "completed") == 1
    assert read_words(conn, announced) == ("completed", "completed")


def test_the_reset_function_covers_ocr_failed_rows(conn: Connection, announced: UUID) -> None:
    set_source_status(conn, announced, "ocr_failed")
    assert fetch_one(conn, "SELECT reset_failed_documents_for_retry() AS n") == {"n": 0}
    move_into_past(conn, announced)
    assert fetch_one(conn, "SELECT reset_failed_documents_for_retry() AS n") == {"n": 1}
    assert fetch_queue_entry(conn, announced)["status"] == "pre_ocr_pending"


def test_stuck_and_health_views_understand_the_words_of_ocr(
    database: Database, conn: Connection, announced: UUID, workspace: UUID
) -> None:
    set_source_status(conn, announced, "ocr_failed")
    read = add(conn, workspace)
    start(database, "classify")
    held = add(conn, workspace)
    set_queue_status(conn, held, "pre_ocr_processing")
    add(conn, workspace)
    for document_id in (announced, held, read):
        move_into_past(conn, document_id, "2 hours")
    stuck = conn.execute("SELECT source_document_uuid AS id, status FROM stuck_documents").fetchall()
    assert {row["id"]: row["status"] for row in stuck} == {
        announced: "ocr_failed",
        held: "pre_ocr_processing",
        read: "ocr_complete",
    }
    health = conn.execute("SELECT status, count, permanently_failed_count AS final FROM queue_health_status")
    assert {row["status"]: (row["count"], row["final"]) for row in health} == {
        "ocr_failed": (1, 0),
        "pre_ocr_processing": (1, 0),
        "ocr_complete": (1, 0),
        "pre_ocr_pending": (1, 0),
    }


def test_other_rows_keep_the_plain_words(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    assert read_words(conn, document_id) == ("pending", "pending_intake")
    set_source_status(conn, document_id, "ocr_failed")
    assert read_words(conn, document_id) == ("failed", "ocr_failed")
    assert set_queue_status(conn, document_id, "pre_ocr_pending") == 1
    assert fetch_queue_entry(conn, document_id)["status"] == "pending"
    finish(database, register_worker_committed(database))
    assert read_words(conn, document_id) == ("completed", "completed")
