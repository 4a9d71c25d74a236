"""Tests that every inserted document is enqueued once, regardless of the statement."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from docyard.db import Connection
from docyard.db.connections import Database

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def count_queued(conn: Connection) -> int:
    row = conn.execute(
        "SELECT count(*) AS jobs, count(DISTINCT document_id) AS documents FROM jobs"
        " WHERE pool = 'fetch' AND type = 'document' AND stage = 'fetch' AND state = 'pending'"
        " AND dedupe_key = 'road:' || document_id"
    ).fetchone()
    assert row
    assert row["jobs"] == row["documents"]
    return int(row["jobs"])


@pytest.mark.parametrize("count", [0, 1, 10_000])
def test_insert_select_enqueues_every_document(conn: Connection, workspace: UUID, count: int) -> None:
    conn.execute(
        "INSERT INTO documents (workspace_id, name, blob_key) SELECT %s, 'n' || n, %s FROM generate_series(1, %s) AS n",
        (workspace, f"{workspace}/x", count),
    )
    assert count_queued(conn) == count


@pytest.mark.parametrize("count", [1, 10_000])
def test_copy_enqueues_every_document(conn: Connection, workspace: UUID, count: int) -> None:
    with conn.cursor().copy("COPY documents (workspace_id, name, blob_key) FROM STDIN") as copy:
        for number in range(count):
            copy.write_row((workspace, f"name {number}", f"{workspace}/x"))
    assert count_queued(conn) == count


def test_a_job_inherits_its_documents_tier_priority_and_arrival(conn: Connection, workspace: UUID) -> None:
    conn.execute(
        "INSERT INTO documents (workspace_id, name, tier, priority, created_at) VALUES (%s, 'a', 2, -5, %s)",
        (workspace, NOON),
    )
    rows = conn.execute("SELECT workspace_id, tier, priority, arrived_at FROM jobs").fetchall()
    assert rows == [{"workspace_id": workspace, "tier": 2, "priority": -5, "arrived_at": NOON}]


def test_ended_and_deleted_documents_are_not_enqueued(conn: Connection, workspace: UUID) -> None:
    conn.execute(
        "INSERT INTO documents (workspace_id, name, blob_key, status, completed_at, reason, deleted_at) VALUES"
        " (%(w)s, 'kept', %(b)s, 'pending', NULL, NULL, NULL), (%(w)s, 'gone', %(b)s, 'pending', NULL, NULL, now()),"
        " (%(w)s, 'bad', %(b)s, 'failed', now(), 'why', NULL), (%(w)s, 'old', %(b)s, 'completed', now(), NULL, NULL)",
        {"w": workspace, "b": f"{workspace}/x"},
    )
    assert count_queued(conn) == 1


def test_a_document_inserted_as_processing_is_enqueued(conn: Connection, workspace: UUID) -> None:
    conn.execute(
        "INSERT INTO documents (workspace_id, name, blob_key, status) VALUES (%s, 'a', %s, 'processing')",
        (workspace, f"{workspace}/x"),
    )
    assert conn.execute("SELECT status FROM documents").fetchall() == [{"status": "pending"}]
    assert count_queued(conn) == 1


def test_an_upsert_enqueues_only_new_documents(conn: Connection, workspace: UUID) -> None:
    upsert = (
        "INSERT INTO documents (workspace_id, name, blob_key, content_key)"
        " VALUES (%(w)s, 'a', %(w)s || '/x', 'x'), (%(w)s, 'b', %(w)s || '/y', %(k)s)"
        " ON CONFLICT (workspace_id, content_key) WHERE deleted_at IS NULL DO UPDATE SET name = 'again'"
    )
    conn.execute(upsert, {"w": workspace, "k": "y"})
    conn.execute(upsert, {"w": workspace, "k": "z"})
    assert count_queued(conn) == 3


def test_a_failed_statement_enqueues_nothing(conn: Connection, workspace: UUID) -> None:
    with pytest.raises(Exception, match="documents_name_shown"):
        conn.execute(
            "INSERT INTO documents (workspace_id, name) SELECT %s, CASE WHEN n < 5 THEN 'n' ELSE '' END"
            " FROM generate_series(1, 5) AS n",
            (workspace,),
        )
    assert count_queued(conn) == 0


def test_documents_inserted_by_the_web_role_are_enqueued(
    conn: Connection, web_database: Database, workspace: UUID
) -> None:
    with web_database.transaction(workspace) as web:
        web.execute(
            "INSERT INTO documents (workspace_id, name, blob_key) VALUES (%s, 'a', %s)", (workspace, f"{workspace}/x")
        )
    assert count_queued(conn) == 1
