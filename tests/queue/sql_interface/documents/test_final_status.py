"""Tests of final_status: permanently_failed means that no reset queues the document."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Connection, Database
from docyard.model.failures import CATEGORIES
from tests.queue.sql_interface.sql_session import (
    fetch_one,
    fetch_queue_entry,
    make_dead,
    make_scheduled,
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
def test_without_a_dead_letter_the_document_itself_decides(
    database: Database, conn: Connection, workspace: UUID, *, retryable: bool
) -> None:
    document_id = make_dead(database, workspace, "network")
    conn.execute("DELETE FROM dead_letters")
    conn.execute("UPDATE documents SET retryable = %s", (retryable,))
    row = fetch_queue_entry(conn, document_id)
    assert row["final_status"] == ("failed" if retryable else "permanently_failed")
    assert fetch_one(conn, "SELECT reset_failed_documents_for_retry('0') AS n") == {"n": int(retryable)}


def test_documents_between_two_attempts_are_not_permanently_failed(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = make_scheduled(database, workspace)
    assert fetch_queue_entry(conn, document_id)["final_status"] == "failed"
    set_source_status(conn, document_id, "error_x")
    assert fetch_queue_entry(conn, document_id)["final_status"] == "failed"
    assert fetch_one(conn, HEALTH) == {"count": 1, "permanently_failed_count": 0}
