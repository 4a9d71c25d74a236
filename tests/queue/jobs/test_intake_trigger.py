"""Whoever inserts documents, one or ten thousand, by whatever statement, gets each of them queued once."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from docyard.db import Connection
from docyard.db.connect import Database

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def queued(conn: Connection) -> int:
    row = conn.execute(
        "SELECT count(*) AS jobs, count(DISTINCT document_id) AS documents FROM jobs"
        " WHERE pool = 'fetch' AND type = 'document' AND stage = 'fetch' AND state = 'pending'"
        " AND dedupe_key = 'road:' || document_id"
    ).fetchone()
    assert row
    assert row["jobs"] == row["documents"]
    return int(row["jobs"])


@pytest.mark.parametrize("count", [0, 1, 10_000])
def test_one_insert_select_queues_every_document(conn: Connection, workspace: UUID, count: int) -> None:
    conn.execute(
        "INSERT INTO documents (workspace_id, name) SELECT %s, 'n' || n FROM generate_series(1, %s) AS n",
        (workspace, count),
    )
    assert queued(conn) == count


@pytest.mark.parametrize("count", [1, 10_000])
def test_copy_queues_every_document(conn: Connection, workspace: UUID, count: int) -> None:
    with conn.cursor().copy("COPY documents (workspace_id, name) FROM STDIN") as copy:
        for number in range(count):
            copy.write_row((workspace, f"name {number}"))
    assert queued(conn) == count


def test_a_job_inherits_its_documents_tier_priority_and_arrival(conn: Connection, workspace: UUID) -> None:
    conn.execute(
        "INSERT INTO documents (workspace_id, name, tier, priority, created_at) VALUES (%s, 'a', 2, -5, %s)",
        (workspace, NOON),
    )
    rows = conn.execute("SELECT workspace_id, tier, priority, arrived_at FROM jobs").fetchall()
    assert rows == [{"workspace_id": workspace, "tier": 2, "priority": -5, "arrived_at": NOON}]


def test_documents_that_arrive_ended_or_deleted_are_not_queued(conn: Connection, workspace: UUID) -> None:
    conn.execute(
        "INSERT INTO documents (workspace_id, name, status, completed_at, reason, deleted_at) VALUES"
        " (%(w)s, 'kept', 'pending', NULL, NULL, NULL), (%(w)s, 'gone', 'pending', NULL, NULL, now()),"
        " (%(w)s, 'bad', 'failed', now(), 'why', NULL), (%(w)s, 'old', 'completed', now(), NULL, NULL)",
        {"w": workspace},
    )
    assert queued(conn) == 1


def test_a_document_that_claims_to_be_under_way_is_queued_like_any_other(
    conn: Connection, workspace: UUID
) -> None:
    conn.execute(
        "INSERT INTO documents (workspace_id, name, status) VALUES (%s, 'a', 'processing')", (workspace,)
    )
    assert conn.execute("SELECT status FROM documents").fetchall() == [{"status": "pending"}]
    assert queued(conn) == 1


def test_an_upsert_queues_only_what_is_new(conn: Connection, workspace: UUID) -> None:
    upsert = (
        "INSERT INTO documents (workspace_id, name, content_key)"
        " VALUES (%(w)s, 'a', 'x'), (%(w)s, 'b', %(k)s)"
        " ON CONFLICT (workspace_id, content_key) WHERE deleted_at IS NULL DO UPDATE SET name = 'again'"
    )
    conn.execute(upsert, {"w": workspace, "k": "y"})
    conn.execute(upsert, {"w": workspace, "k": "z"})
    assert queued(conn) == 3


def test_a_statement_that_fails_queues_nothing(conn: Connection, workspace: UUID) -> None:
    with pytest.raises(Exception, match="documents_name_shown"):
        conn.execute(
            "INSERT INTO documents (workspace_id, name) SELECT %s, CASE WHEN n < 5 THEN 'n' ELSE '' END"
            " FROM generate_series(1, 5) AS n",
            (workspace,),
        )
    assert queued(conn) == 0


def test_the_web_role_may_insert_documents_and_so_queues_them(
    conn: Connection, web_database: Database, workspace: UUID
) -> None:
    with web_database.transaction(workspace) as web:
        web.execute("INSERT INTO documents (workspace_id, name) VALUES (%s, 'a')", (workspace,))
    assert queued(conn) == 1
