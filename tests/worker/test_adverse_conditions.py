"""Workers under adverse conditions: long readers, lost responses, refused settlements, hostile files."""

from __future__ import annotations

import threading
from uuid import UUID, uuid4

import psycopg
import pytest

from docyard import queue
from docyard.db import Database
from docyard.intake import Arrival, receive
from docyard.model.jobs import Worker
from docyard.pipeline.run import Pipeline
from docyard.queue import monitor
from docyard.readers.file_types import detect_media_type
from docyard.store.blobs import FolderBlobs
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.leases import Leases
from docyard.worker.stop_request import StopRequest


def _add(pipeline: Pipeline, workspace: UUID, text: str) -> UUID:
    arrival = Arrival(workspace, "note.txt", "upload")
    return receive(pipeline.db, pipeline.blobs, pipeline.limits, arrival, [text.encode()]).document_id


def _status(db: Database, document: UUID) -> str:
    with db.transaction() as conn:
        row = conn.execute("SELECT status FROM documents WHERE id = %s", (document,)).fetchone()
    return str(row["status"]) if row else ""


def test_processes_documents_while_a_backup_reads_the_history(pipeline: Pipeline, workspace: UUID) -> None:
    document = _add(pipeline, workspace, "Processed while a backup runs.")
    with pipeline.db.transaction() as backup:
        backup.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        backup.execute("LOCK TABLE job_history, job_history_default IN ACCESS SHARE MODE")
        run_worker(pipeline, WorkerOptions(slots=1, single_run=True), StopRequest())
        assert _status(pipeline.db, document) == "completed"


def test_returns_a_claim_whose_response_was_lost(pipeline: Pipeline, workspace: UUID) -> None:
    document = _add(pipeline, workspace, "Claimed, but nobody heard of it.")
    worker = Worker(uuid4(), "host", 1, ("fetch",), 1, 30.0)
    leases = Leases(pipeline, worker.id)
    with pipeline.db.transaction() as conn:
        queue.register(conn, worker)
        (lease,) = queue.claim(conn, "fetch", worker.id, 1)
    leases.add(lease)
    _make_leases_old(pipeline.db)
    leases.return_strays()
    with pipeline.db.transaction() as conn:
        assert monitor.count_backlog(conn).states == {"running": 1}, (
            "a lease that this worker has recorded is not a stray"
        )
    leases.drop([lease])
    leases.return_strays()
    with pipeline.db.transaction() as conn:
        row = conn.execute("SELECT state, attempts, fence FROM jobs").fetchone()
    assert row == {"state": "pending", "attempts": 0, "fence": lease.fence + 1}
    assert _status(pipeline.db, document) == "pending"


def test_retries_a_settlement_that_the_database_refuses(pipeline: Pipeline, workspace: UUID) -> None:
    document = _add(pipeline, workspace, "")
    with pipeline.db.transaction() as conn:
        # The database refuses to settle the empty file until the constraint is dropped.
        conn.execute("ALTER TABLE dead_letters ADD CONSTRAINT no_dead_letters CHECK (false)")
    timer = threading.Timer(1.0, _drop_constraint, (pipeline.db,))
    timer.start()
    run_worker(pipeline, WorkerOptions(slots=1, single_run=True), StopRequest())
    timer.join()
    assert _status(pipeline.db, document) == "failed"


def test_processes_a_document_inserted_as_processing(pipeline: Pipeline, workspace: UUID) -> None:
    with pipeline.db.transaction() as conn:
        conn.execute(
            "INSERT INTO documents (workspace_id, name, blob_key, status) VALUES (%s, 'odd', %s, 'processing')",
            (workspace, f"{workspace}/{'0' * 64}"),
        )
    run_worker(pipeline, WorkerOptions(slots=1, single_run=True), StopRequest())
    with pipeline.db.transaction() as conn:
        row = conn.execute("SELECT status, reason_category FROM documents").fetchone()
    assert row == {"status": "failed", "reason_category": "not_found"}


def test_refuses_a_blob_key_of_another_workspace(database: Database, workspace: UUID, other_workspace: UUID) -> None:
    with pytest.raises(psycopg.errors.CheckViolation, match="documents_blob_own"), database.transaction() as conn:
        conn.execute(
            "INSERT INTO documents (workspace_id, name, blob_key) VALUES (%s, 'theirs', %s)",
            (workspace, f"{other_workspace}/{'0' * 64}"),
        )


def test_sweep_ignores_concurrent_uploads(blobs: FolderBlobs) -> None:
    done = threading.Event()

    def upload() -> None:
        while not done.is_set():
            blobs.put(UUID(int=0), uuid4().bytes)

    thread = threading.Thread(target=upload)
    thread.start()
    try:
        assert [blobs.delete_abandoned(now=0.0) for _ in range(500)] == [0] * 500
    finally:
        done.set()
        thread.join()


@pytest.mark.timeout(20)
def test_detects_the_type_of_a_file_with_many_comments_quickly(pipeline: Pipeline, workspace: UUID) -> None:
    arrival = Arrival(workspace, "comments.txt", "upload")
    text = b"<!-- a -->" * 3000 + b"<"
    document = receive(pipeline.db, pipeline.blobs, pipeline.limits, arrival, [text]).document_id
    with pipeline.db.transaction() as conn:
        row = conn.execute("SELECT blob_key FROM documents WHERE id = %s", (document,)).fetchone()
    with pipeline.blobs.open_path((row or {})["blob_key"]) as path:
        assert detect_media_type(path, "comments.txt").startswith("text/")


def _make_leases_old(db: Database) -> None:
    with db.transaction() as conn:
        conn.execute("UPDATE jobs SET started_at = started_at - interval '1 minute'")


def _drop_constraint(db: Database) -> None:
    with db.transaction() as conn:
        conn.execute("ALTER TABLE dead_letters DROP CONSTRAINT no_dead_letters")
