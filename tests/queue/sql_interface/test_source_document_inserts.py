"""Tests of inserts into source_documents."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID, uuid4

import psycopg
import pytest

from docyard.db import Connection, Database
from tests.pipeline.stage_runs import claim_document_job, finish, run_until
from tests.queue.queue_workers import register_worker_committed
from tests.queue.sql_interface.sql_session import fetch_one, fetch_queue_entry, fetch_source_document, get_source_status

ADD = "INSERT INTO source_documents (project_uuid, original_file_name) VALUES (%s, 'a.pdf')"
ADD_STORED = "INSERT INTO documents (workspace_id, name, blob_key) VALUES (%s, 'a.pdf', %s)"


def test_an_inserted_row_becomes_a_document_with_a_queue_entry(conn: Connection, workspace: UUID) -> None:
    made = fetch_one(
        conn,
        "INSERT INTO source_documents (project_uuid, original_file_path, original_file_name,"
        " detected_file_type, s3_key, initial_processing_status) VALUES"
        " (%s, 's3://bucket/in/a%%20b.pdf', 'a b.pdf', 'application/pdf', 'in/a%%20b.pdf', 'pre_ocr_pending')"
        " RETURNING id, document_uuid, project_fk_id",
        workspace,
    )
    seen = fetch_source_document(conn, made["document_uuid"])
    assert seen["id"] == made["id"]
    assert seen["project_uuid"] == workspace
    assert seen["project_fk_id"] == made["project_fk_id"] == fetch_one(conn, "SELECT seq FROM workspaces")["seq"]
    assert seen["s3_key"] == "in/a%20b.pdf"
    assert seen["initial_processing_status"] == "pre_ocr_pending"
    queued = fetch_queue_entry(conn, made["document_uuid"])
    assert (queued["id"], queued["source_document_id"]) == (made["id"], made["id"])
    assert (queued["status"], queued["priority"], queued["attempts"]) == ("pre_ocr_pending", 100, 0)
    job = fetch_one(conn, "SELECT tier, pool FROM jobs")
    assert job == {"tier": 1, "pool": "fetch"}


def test_a_thousand_documents_are_inserted_in_one_statement(conn: Connection, workspace: UUID) -> None:
    done = conn.execute(
        "INSERT INTO source_documents (project_fk_id, original_file_path)"
        " SELECT w.seq, '/scans/' || n || '.pdf' FROM workspaces w, generate_series(1, 1000) AS n"
    )
    assert done.rowcount == 1000
    counted = fetch_one(conn, "SELECT count(*) AS n, count(DISTINCT document_id) AS d FROM jobs")
    assert counted == {"n": 1000, "d": 1000}
    assert fetch_one(conn, "SELECT count(*) AS n FROM document_processing_queue WHERE status = 'pending'") == {
        "n": 1000
    }
    assert fetch_one(conn, "SELECT count(*) AS n FROM documents WHERE name = '1000.pdf'") == {"n": 1}


def test_a_document_inserted_by_sql_can_be_processed(database: Database, conn: Connection, workspace: UUID) -> None:
    conn.execute(ADD_STORED, (workspace, f"{workspace}/x"))
    finish(database, register_worker_committed(database))
    assert fetch_one(conn, "SELECT initial_processing_status AS s FROM source_documents") == {"s": "completed"}


def test_an_invalid_row_rolls_back_the_statement(conn: Connection, workspace: UUID) -> None:
    with pytest.raises(psycopg.errors.ForeignKeyViolation, match="no workspace"):
        conn.execute(
            "INSERT INTO source_documents (project_uuid, original_file_name)"
            " VALUES (%s, 'a'), (gen_random_uuid(), 'b')",
            (workspace,),
        )
    assert fetch_one(conn, "SELECT count(*) AS n FROM jobs") == {"n": 0}


@pytest.mark.parametrize(
    ("columns", "values", "error"),
    [
        ("original_file_name", "'a'", "no workspace with project_uuid NULL and project_fk_id NULL"),
        ("project_uuid, original_file_name", "'{m}', 'a'", "no workspace with project_uuid"),
        ("project_fk_id, original_file_name", "987654, 'a'", "project_fk_id 987654"),
        ("project_uuid, project_fk_id, original_file_name", "'{w}', 987654, 'a'", "and project_fk_id 987654"),
        ("project_uuid", "'{w}'", "needs original_file_name or original_file_path"),
        ("project_uuid, original_file_name", "'{w}', ''", "a path that ends with the name of a file"),
        ("project_uuid, original_file_path", "'{w}', ''", "a path that ends with the name of a file"),
        ("project_uuid, original_file_path", "'{w}', '/scans/'", "a path that ends with the name of a file"),
        ("id, project_uuid, original_file_name", "1, '{w}', 'a'", "id of a document is assigned by Docyard"),
        ("project_uuid, original_file_name, s3_key", "'{w}', 'a', 'k'", "s3_key 'k' is not the key"),
        ("project_uuid, original_file_path, s3_key", "'{w}', 's3://bucket/other', 'k'", "s3_key 'k' is not the key"),
        (
            "project_uuid, original_file_name, initial_processing_status",
            "'{w}', 'a', 'ocr_done'",
            "status 'ocr_done'(.|\n)*pending_intake, pre_ocr_pending, completed, ocr_failed or error",
        ),
    ],
)
def test_an_invalid_document_is_rejected_with_a_message(
    conn: Connection, workspace: UUID, columns: str, values: str, error: str
) -> None:
    values = values.format(w=workspace, m=uuid4())
    with pytest.raises(psycopg.Error, match=error):
        conn.execute(f"INSERT INTO source_documents ({columns}) VALUES ({values})".encode())  # noqa: S608 (constant text)
    assert fetch_one(conn, "SELECT count(*) AS n FROM documents") == {"n": 0}


@pytest.mark.parametrize(
    ("inserted_status", "path", "read_back", "queued"),
    [
        (None, "/a", "pending_intake", 1),
        ("pending_intake", "/a", "pending_intake", 1),
        ("pending_intake", "s3://b/a", "pending_intake", 1),
        ("pre_ocr_pending", "/a", "pre_ocr_pending", 1),
        ("pre_ocr_pending", "s3://b/a", "pre_ocr_pending", 1),
        ("completed", "/a", "completed", 0),
        ("error_scanner", "/a", "error_scanner", 0),
        ("ocr_failed", "/a", "ocr_failed", 0),
    ],
)
def test_only_documents_inserted_as_pending_are_enqueued(
    conn: Connection, workspace: UUID, inserted_status: str | None, path: str, read_back: str, queued: int
) -> None:
    made = fetch_one(
        conn,
        "INSERT INTO source_documents (project_uuid, original_file_path, initial_processing_status)"
        " VALUES (%s, %s, %s) RETURNING document_uuid",
        workspace,
        path,
        inserted_status,
    )
    assert get_source_status(conn, made["document_uuid"]) == read_back
    assert fetch_one(conn, "SELECT count(*) AS n FROM jobs") == {"n": queued}


def test_the_status_shows_the_phase_of_the_pipeline(database: Database, conn: Connection, workspace: UUID) -> None:
    conn.execute(ADD_STORED, (workspace, f"{workspace}/x"))
    document_id = fetch_one(conn, "SELECT id FROM documents")["id"]
    seen = [(get_source_status(conn, document_id), fetch_queue_entry(conn, document_id)["ocr_phase"])]
    lease = claim_document_job(database, register_worker_committed(database))
    for stage in ("extract", "classify", "chunk"):
        run_until(database, lease, stage)
        seen.append((get_source_status(conn, document_id), fetch_queue_entry(conn, document_id)["ocr_phase"]))
    assert seen == [
        ("pending_intake", "pre_ocr_pending"),
        ("pre_ocr_processing", "pre_ocr_processing"),
        ("ocr_complete_pending_doc_node", "ocr_complete"),
        ("ocr_complete_pending_doc_node", "ocr_complete"),
    ]


def test_metadata_can_be_changed_but_identity_cannot(conn: Connection, workspace: UUID) -> None:
    conn.execute(ADD, (workspace,))
    changed = conn.execute("UPDATE source_documents SET title = 'Lease', tags = '{a,b}', language = 'en'")
    assert changed.rowcount == 1
    assert fetch_one(conn, "SELECT title, tags, language, name, status FROM documents") == {
        "title": "Lease",
        "tags": ["a", "b"],
        "language": "en",
        "name": "a.pdf",
        "status": "pending",
    }
    conn.execute("UPDATE documents SET found_tags = '{b,c,d}'")
    assert fetch_one(conn, "SELECT tags FROM source_documents") == {"tags": ["a", "b", "c", "d"]}
    conn.execute("UPDATE source_documents SET tags = '{b,c,e}'")
    assert fetch_one(conn, "SELECT tags, found_tags FROM documents") == {"tags": ["b", "e"], "found_tags": ["b", "c"]}
    assert fetch_one(conn, "SELECT tags FROM source_documents") == {"tags": ["b", "e", "c"]}
    for assignment in ("document_uuid = gen_random_uuid()", "project_fk_id = 9", "s3_key = 'x'", "id = 7"):
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="cannot be changed"):
            conn.execute(f"UPDATE source_documents SET {assignment}".encode())  # noqa: S608 (constant text)


@pytest.mark.parametrize("view", ["source_documents", "document_processing_queue"])
def test_a_document_cannot_be_deleted_from_a_view(conn: Connection, workspace: UUID, view: str) -> None:
    conn.execute(ADD, (workspace,))
    with pytest.raises(psycopg.errors.FeatureNotSupported, match=f"cannot be deleted from {view}") as refusal:
        conn.execute(f"DELETE FROM {view}".encode())  # noqa: S608 (constant names)
    assert "DELETE /api/v1/documents/{document_id}" in (refusal.value.diag.message_hint or "")
    assert fetch_one(conn, "SELECT count(*) AS n FROM documents") == {"n": 1}


def test_get_or_create_project_finds_or_creates_a_workspace(
    conn: Connection, database: Database, workspace: UUID
) -> None:
    find = "SELECT project_fk_id, project_uuid FROM get_or_create_project(%s)"
    known = fetch_one(conn, find, " Main ")
    assert known["project_uuid"] == workspace
    start = Barrier(6)

    def create_project(_: int) -> UUID:
        with database.transaction() as mine:
            start.wait(30)
            return UUID(str(fetch_one(mine, find, "Harbour")["project_uuid"]))

    with ThreadPoolExecutor(6) as threads:
        (made,) = set(threads.map(create_project, range(6)))
    conn.execute(ADD, (made,))
    assert fetch_one(conn, "SELECT project_fk_id FROM source_documents") == {
        "project_fk_id": fetch_one(conn, find, "Harbour")["project_fk_id"]
    }


def test_the_web_role_cannot_create_projects(web_database: Database, workspace: UUID) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege), web_database.transaction(workspace) as conn:
        conn.execute("SELECT get_or_create_project('Mine')")
