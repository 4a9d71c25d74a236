"""Tests of resets of a document whose last attempt is running or held: it fails and says why."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Connection, Database
from tests.pipeline.stage_runs import load_document
from tests.queue.sql_interface.sql_session import (
    fetch_one,
    fetch_queue_entry,
    fetch_source_document,
    make_running,
    set_queue_status,
)

REASON = "The document was queued again by SQL during its last attempt, so it has no attempt left"
NOTICE = "Document 1 has failed instead of being queued: it has no attempt left."


@pytest.fixture
def notices(conn: Connection) -> list[str]:
    """The notices that the connection has received."""
    received: list[str] = []
    conn.add_notice_handler(lambda notice: received.append(notice.message_primary or ""))
    return received


@pytest.fixture(params=["running", "held"])
def last_attempt(request: pytest.FixtureRequest, database: Database, conn: Connection, workspace: UUID) -> UUID:
    """A document in its last attempt, by a worker or an outside processor."""
    document_id, _ = make_running(database, workspace)
    if request.param == "held":
        set_queue_status(conn, document_id, "processing")
    conn.execute("UPDATE jobs SET attempts = max_attempts - (state = 'scheduled')::integer")
    return document_id


def test_the_update_returns_that_the_document_failed(conn: Connection, last_attempt: UUID, notices: list[str]) -> None:
    reset = "UPDATE document_processing_queue SET status = 'pending' RETURNING *"
    returned = fetch_one(conn, reset)
    assert (returned["status"], returned["final_status"]) == ("failed", "permanently_failed")
    assert returned["error_message"] == REASON + "."
    assert returned == fetch_queue_entry(conn, last_attempt)
    assert returned["failure_history"][-1]["error"] == REASON + "."
    assert notices == [NOTICE]


def test_the_other_view_returns_the_same(conn: Connection, last_attempt: UUID, notices: list[str]) -> None:
    reset = (
        "UPDATE source_documents SET initial_processing_status = 'pre_ocr_pending', error_message = 'Too slow.'"
        " RETURNING *"
    )
    returned = fetch_one(conn, reset)
    assert returned["initial_processing_status"] == "error_ocr_failed"
    assert returned["error_message"] == "Too slow."
    assert returned == fetch_source_document(conn, last_attempt)
    assert notices == [NOTICE]


def test_the_operator_can_queue_the_document_after_that(conn: Connection, last_attempt: UUID) -> None:
    assert set_queue_status(conn, last_attempt, "pending") == 1
    assert load_document(conn, last_attempt).status == "failed"
    assert set_queue_status(conn, last_attempt, "pending") == 1
    assert fetch_queue_entry(conn, last_attempt)["status"] == "pending"
