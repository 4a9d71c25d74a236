"""Tests of the views under the web role, which sees and changes one workspace only."""

from __future__ import annotations

from uuid import UUID

import psycopg
import pytest

from docyard.db import Connection, Database
from tests.pipeline.stage_runs import arrive
from tests.queue.sql_interface.sql_session import (
    fetch_one,
    fetch_queue_entry,
    fetch_source_document,
    make_dead,
    make_scheduled,
    set_queue_status,
    set_source_status,
)

VIEWS = ("source_documents", "document_processing_queue", "extraction_jobs", "stuck_documents")


@pytest.fixture
def theirs(database: Database, conn: Connection, other_workspace: UUID) -> UUID:
    """The id of a stuck document in another workspace, which also has an extraction job."""
    document_id = make_scheduled(database, other_workspace)
    conn.execute("UPDATE documents SET updated_at = now() - interval '3 hours'")
    conn.execute("INSERT INTO extraction_jobs (yacht_id, job_type) VALUES (%s, 'document_ocr')", (other_workspace,))
    return document_id


def test_each_workspace_sees_only_its_own_rows(
    conn: Connection, web_database: Database, workspace: UUID, other_workspace: UUID, theirs: UUID
) -> None:
    for view in VIEWS:
        count = f"SELECT count(*) AS n FROM {view}"  # noqa: S608 (constant names)
        assert fetch_one(conn, count) == {"n": 1}
        for of_workspace, visible in ((workspace, 0), (other_workspace, 1), (None, 0)):
            with web_database.transaction(of_workspace) as web:
                assert fetch_one(web, count) == {"n": visible}, view
    with web_database.transaction(workspace) as web:
        assert web.execute("SELECT * FROM queue_health_status").fetchall() == []


def test_rows_of_another_workspace_cannot_be_changed(
    conn: Connection, web_database: Database, workspace: UUID, theirs: UUID
) -> None:
    before = (fetch_queue_entry(conn, theirs), fetch_source_document(conn, theirs))
    with web_database.transaction(workspace) as web:
        for status in ("pending", "processing", "completed", "failed", "cancelled"):
            assert set_queue_status(web, theirs, status) == 0
        for word in ("completed", "error_x", "pre_ocr_pending", "pre_ocr_processing"):
            assert set_source_status(web, theirs, word) == 0
        # The helper functions can be called, but change nothing either.
        assert fetch_one(web, "SELECT end_document(%s, 'completed', 'x', NULL, NULL) AS r", theirs) == {"r": False}
        assert fetch_one(web, "SELECT requeue_document(%s, NULL) AS r", theirs) == {"r": False}
        assert fetch_one(web, "SELECT hold_document(%s, 'processing', NULL, 'x') AS r", theirs) == {"r": False}
    assert (fetch_queue_entry(conn, theirs), fetch_source_document(conn, theirs)) == before


@pytest.mark.parametrize("column", ["project_uuid", "project_fk_id"])
def test_documents_cannot_be_inserted_into_another_workspace(
    conn: Connection, web_database: Database, workspace: UUID, other_workspace: UUID, column: str
) -> None:
    other = fetch_one(
        conn, "SELECT id AS project_uuid, seq AS project_fk_id FROM workspaces WHERE id = %s", other_workspace
    )
    add = f"INSERT INTO source_documents ({column}, original_file_name) VALUES (%s, 'a')"  # noqa: S608 (constant names)
    with pytest.raises(psycopg.Error, match="no workspace"), web_database.transaction(workspace) as web:
        web.execute(add.encode(), (other[column],))
    add = "INSERT INTO extraction_jobs (yacht_id, job_type) VALUES (%s, 'document_ocr')"
    with pytest.raises(psycopg.Error, match="no workspace"), web_database.transaction(workspace) as web:
        web.execute(add.encode(), (other_workspace,))
    assert fetch_one(conn, "SELECT count(*) AS n FROM jobs") == {"n": 0}


def test_a_workspace_can_write_its_own_rows(
    database: Database, conn: Connection, web_database: Database, workspace: UUID
) -> None:
    with web_database.transaction(workspace) as web:
        document_id = fetch_one(
            web,
            "INSERT INTO source_documents (project_uuid, original_file_name) VALUES (%s, 'a')"
            " RETURNING document_uuid AS id",
            workspace,
        )["id"]
        web.execute("INSERT INTO extraction_jobs (yacht_id, job_type) VALUES (%s, 'document_ocr')", (workspace,))
        for word in ("pre_ocr_processing", "error_x", "pre_ocr_pending", "completed", "pending_intake", "cancelled"):
            assert set_source_status(web, document_id, word) == 1
        assert set_queue_status(web, document_id, "pending") == 1
    assert fetch_queue_entry(conn, document_id)["status"] == "pending"
    letter = make_dead(database, workspace, "network")
    with web_database.transaction(workspace) as web:
        assert set_queue_status(web, letter, "pending") == 1


@pytest.mark.parametrize(
    "call", ["reset_failed_documents_for_retry()", "update_queue_status_with_history(1, 'pending')"]
)
def test_the_web_role_cannot_call_the_operators_functions(web_database: Database, workspace: UUID, call: str) -> None:
    with (
        pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for function"),
        web_database.transaction(workspace) as web,
    ):
        web.execute(f"SELECT {call}".encode())


def test_every_function_runs_as_its_caller_with_a_fixed_search_path(conn: Connection) -> None:
    rows = conn.execute(
        "SELECT p.proname, p.prosecdef, p.proconfig FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang"
        " WHERE p.pronamespace = 'public'::regnamespace AND (p.proname IN ('end_document', 'note_reset',"
        " 'revive_document', 'reset_document', 'requeue_document', 'lock_document', 'set_queue_status',"
        " 'hold_document', 'keep_message', 'find_own_reason', 'first_job',"
        " 'reset_failed_documents_for_retry', 'update_queue_status_with_history')"
        " OR p.oid IN (SELECT tgfoid FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
        " WHERE c.relkind = 'v'))"
    ).fetchall()
    assert len(rows) == 20
    for row in rows:
        assert not row["prosecdef"]
        assert "search_path=pg_catalog, public, pg_temp" in row["proconfig"], row["proname"]


def test_a_temporary_table_cannot_shadow_the_documents_table(
    database: Database, conn: Connection, web_database: Database, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    with web_database.transaction(workspace) as web:
        web.execute("CREATE TEMPORARY TABLE documents (id uuid)")
        web.execute("CREATE TEMPORARY TABLE jobs (id uuid, document_id uuid)")
        assert set_source_status(web, document_id, "completed") == 1
    assert fetch_queue_entry(conn, document_id)["status"] == "completed"
