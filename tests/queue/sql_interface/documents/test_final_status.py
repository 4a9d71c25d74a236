"""Tests of final_status: permanently_failed means that no reset queues the document."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.failures import CATEGORIES
from docyard.pipeline.reruns import retry_document
from tests.queue.sql_interface.sql_session import (
    fetch_one,
    fetch_queue_entry,
    make_dead,
    make_scheduled,
    move_into_past,
    set_queue_status,
    set_source_status,
)

HEALTH = "SELECT count, permanently_failed_count FROM queue_health_status WHERE status = 'failed'"


@pytest.mark.parametrize("category", ["network", "outside", "corrupt"])
@pytest.mark.parametrize("spent", [False, True], ids=["attempts left", "attempts spent"])
def test_only_documents_that_no_reset_queues_are_permanently_failed(
    database: Database, conn: Connection, workspace: UUID, category: str, *, spent: bool
) -> None:
    document_id = make_dead(database, workspace, category)
    conn.execute("UPDATE documents SET retryable = %s", (CATEGORIES[category].retry,))
    if spent:
        conn.execute("UPDATE dead_letters SET attempts = max_attempts")
    final = spent or not CATEGORIES[category].retry
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["final_status"]) == ("failed", "permanently_failed" if final else "failed")
    assert fetch_one(conn, HEALTH) == {"count": 1, "permanently_failed_count": int(final)}
    assert fetch_one(conn, "SELECT reset_failed_documents_for_retry('0') AS n") == {"n": int(not final)}


@pytest.mark.parametrize("retryable", [False, True])
def test_a_document_inserted_with_an_error_is_reset_like_one_that_failed(
    conn: Connection, workspace: UUID, *, retryable: bool
) -> None:
    row = fetch_one(
        conn,
        "INSERT INTO documents (workspace_id, name, status, completed_at, reason, reason_category, retryable)"
        " VALUES (%s, 'n', 'failed', now(), 'No paper.', 'outside', %s) RETURNING id",
        workspace,
        retryable,
    )
    entry = fetch_queue_entry(conn, row["id"])
    assert entry["final_status"] == ("failed" if retryable else "permanently_failed")
    assert (entry["attempts"], entry["error_message"]) == (1, "No paper.")
    assert [(f["retry_count"], f["error"]) for f in entry["failure_history"]] == [(1, "No paper.")]
    assert len(queue.find_resettable_documents(conn, cool_down=0, limit=9)) == int(retryable)
    assert fetch_one(conn, "SELECT reset_failed_documents_for_retry('0') AS n") == {"n": int(retryable)}
    assert fetch_queue_entry(conn, row["id"])["attempts"] == 1


@pytest.mark.parametrize("attempts", [1, 3])
def test_a_discarded_document_keeps_its_attempts_and_is_revived_by_a_user_only(
    database: Database, conn: Connection, workspace: UUID, attempts: int
) -> None:
    document_id = make_dead(database, workspace, "network")
    conn.execute("UPDATE dead_letters SET attempts = %s", (attempts,))
    before = fetch_queue_entry(conn, document_id)
    move_into_past(conn, document_id, "2 hours")
    queue.discard(conn, [letter.id for letter in queue.find_letters_of_document(conn, document_id)])
    after = fetch_queue_entry(conn, document_id)
    kept = ("status", "attempts", "failure_history", "processor_id", "error_message")
    assert [after[key] for key in kept] == [before[key] for key in kept]
    assert after["final_status"] == "permanently_failed"
    assert fetch_one(conn, "SELECT reset_failed_documents_for_retry('0') AS n") == {"n": 0}
    assert queue.find_resettable_documents(conn, cool_down=0, limit=9) == []
    assert conn.execute("SELECT FROM stuck_documents").rowcount == 0
    conn.execute("DELETE FROM job_history")
    assert fetch_queue_entry(conn, document_id)["final_status"] == "permanently_failed"
    assert retry_document(conn, document_id) is not None
    assert fetch_queue_entry(conn, document_id)["status"] == "pending"


def test_an_operator_can_queue_a_discarded_document(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = make_dead(database, workspace, "network")
    queue.discard(conn, [letter.id for letter in queue.find_letters_of_document(conn, document_id)])
    assert set_queue_status(conn, document_id, "pending") == 1
    assert fetch_one(conn, "SELECT state, attempts FROM jobs") == {"state": "pending", "attempts": 0}


def test_documents_between_two_attempts_are_not_permanently_failed(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = make_scheduled(database, workspace)
    assert fetch_queue_entry(conn, document_id)["final_status"] == "failed"
    set_source_status(conn, document_id, "error_x")
    assert fetch_queue_entry(conn, document_id)["final_status"] == "failed"
    assert fetch_one(conn, HEALTH) == {"count": 1, "permanently_failed_count": 0}
