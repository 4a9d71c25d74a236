"""Tests that statements of operators neither deadlock with workers nor wait long for the locks of others."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

from docyard.db import Connection, Database
from tests.queue.sql_interface.sql_session import fetch_one, fetch_queue_entry, make_running

WRITES = {
    "reset": "UPDATE document_processing_queue SET status = 'pending'",
    "hold": "UPDATE document_processing_queue SET status = 'processing'",
    "report": "UPDATE source_documents SET initial_processing_status = 'error_x'",
    "cancel": "UPDATE document_processing_queue SET status = 'cancelled'",
    "set the error": "UPDATE document_processing_queue SET error_message = 'Wait.'",
    "set the priority": "UPDATE document_processing_queue SET priority = 1",
}


@pytest.fixture
def notices(conn: Connection) -> list[str]:
    """The notices that the connection has received."""
    received: list[str] = []
    conn.add_notice_handler(lambda notice: received.append(notice.message_primary or ""))
    return received


def wait_for_lock(watcher: Connection) -> None:
    """Wait until a session waits for a lock, or pauses before it tries again to get one."""
    for _ in range(3000):
        if watcher.execute(
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND (wait_event_type = 'Lock' OR wait_event = 'PgSleep')"
        ).fetchall():
            return
        watcher.execute("SELECT pg_sleep(0.01)")
    raise AssertionError("no session waits for a lock")


def update_and_commit(conn: Connection, statement: str) -> int:
    changed = conn.execute(statement.encode()).rowcount
    conn.execute("COMMIT")
    return changed


@pytest.mark.parametrize("write", [write for write in WRITES if write != "hold"])
def test_an_operator_and_a_worker_do_not_deadlock(
    database: Database, conn: Connection, workspace: UUID, notices: list[str], write: str
) -> None:
    """SELECT … FOR UPDATE locks the document before its job; the worker locks them in the other order."""
    document_id, _ = make_running(database, workspace)
    with ThreadPoolExecutor(1) as operator, database.connect() as watcher:
        with database.transaction() as worker:
            worker.execute("SELECT FROM jobs FOR UPDATE")
            conn.execute("BEGIN")
            conn.execute("SELECT id FROM document_processing_queue FOR UPDATE SKIP LOCKED")
            updated = operator.submit(update_and_commit, conn, WRITES[write])
            wait_for_lock(watcher)
            worker.execute("UPDATE documents SET updated_at = now() WHERE id = %s", (document_id,))
        assert updated.result(timeout=30) == 0
    assert notices == ["Document 1 is not changed: another transaction is changing it."]
    assert fetch_queue_entry(conn, document_id)["status"] == "processing"


MANY = 100


@pytest.mark.parametrize("table", ["jobs", "documents"])
@pytest.mark.parametrize("write", WRITES)
def test_locked_documents_are_skipped_and_their_waits_do_not_add_up(
    database: Database, conn: Connection, workspace: UUID, notices: list[str], table: str, write: str
) -> None:
    conn.execute(
        "INSERT INTO documents (workspace_id, name, original_path) SELECT %s, n::text, '/' || n"
        " FROM generate_series(1, %s) AS n",
        (workspace, MANY),
    )
    if write == "reset":
        assert conn.execute(WRITES["hold"].encode()).rowcount == MANY
    key = "id" if table == "documents" else "document_id"
    with database.transaction() as other:
        locked = other.execute(
            f"SELECT d.seq FROM {table} t JOIN documents d ON d.id = t.{key}"  # noqa: S608 (constant names)
            f" WHERE d.seq % 2 = 0 ORDER BY d.seq FOR UPDATE OF t".encode()
        ).fetchall()
        conn.execute("SET statement_timeout = '8s'")  # a fifth of a second for each document would be too much
        assert conn.execute(WRITES[write].encode()).rowcount == MANY - len(locked) == MANY / 2
    expected = [f"Document {row['seq']} is not changed: another transaction is changing it." for row in locked]
    assert sorted(notices) == sorted(expected)


def test_a_statement_waits_for_a_short_lock(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id, _ = make_running(database, workspace)
    with ThreadPoolExecutor(1) as operator, database.connect() as watcher:
        with database.transaction() as worker:
            worker.execute("SELECT FROM jobs FOR UPDATE")
            updated = operator.submit(conn.execute, WRITES["cancel"].encode())
            wait_for_lock(watcher)
        assert updated.result(timeout=30).rowcount == 1
    assert fetch_one(conn, "SELECT status FROM documents WHERE id = %s", document_id) == {"status": "cancelled"}
