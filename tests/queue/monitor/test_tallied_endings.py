"""Endings that no worker settles are counted like settlements: cancellations, deletions and outcomes set by SQL."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import NewJob
from docyard.pipeline.cancellation import cancel_document, cancel_jobs, delete_document
from docyard.queue import monitor
from tests.queue.queue_workers import enqueue_committed, make_job, register_worker
from tests.queue.sql_interface.sql_session import make_running

Events = list[tuple[str, str, str, int]]


def list_endings(conn: Connection) -> Events:
    """Return pool, event, category and number of the tallies, without claims."""
    totals = monitor.load_totals(conn)
    return [(t.pool, t.event, t.category, t.jobs) for t in totals if t.event not in ("claimed", "waited")]


def test_a_cancelled_or_deleted_document_is_counted_once(
    database: Database, web_database: Database, conn: Connection, workspace: UUID
) -> None:
    (one, _), (two, _) = make_running(database, workspace), make_running(database, workspace)
    with web_database.transaction(workspace) as web:
        cancel_document(web, one, "ada@example.org")
    assert list_endings(conn) == [("fetch", "cancelled", "", 1)]
    with web_database.transaction(workspace) as web:
        delete_document(web, two)
        delete_document(web, one)
    assert list_endings(conn) == [("fetch", "cancelled", "", 2)]


def test_cancelled_jobs_are_counted_with_their_children(database: Database, conn: Connection, workspace: UUID) -> None:
    (parent,) = enqueue_committed(database, make_job(workspace))
    with database.transaction() as transaction:
        (lease,) = queue.claim(transaction, "extract", register_worker(transaction), 1)
        queue.wait_for_children(transaction, lease, [NewJob(workspace, "chunk", "test") for _ in range(2)], seconds=60)
    with database.transaction() as transaction:
        cancel_jobs(transaction, [parent], "ada@example.org")
    assert list_endings(conn) == [("chunk", "cancelled", "", 2), ("extract", "cancelled", "", 1)]


def test_a_rolled_back_cancellation_is_not_counted(database: Database, conn: Connection, workspace: UUID) -> None:
    (job,) = enqueue_committed(database, make_job(workspace))
    with conn.transaction(force_rollback=True):
        cancel_jobs(conn, [job], "ada@example.org")
    assert list_endings(conn) == []


@pytest.mark.parametrize(
    ("status", "ending"),
    [("cancelled", ("cancelled", "")), ("completed", ("done", "")), ("error_scanner", ("dead", "outside"))],
)
def test_an_outcome_set_by_sql_is_counted(
    database: Database,
    web_database: Database,
    conn: Connection,
    workspace: UUID,
    status: str,
    ending: tuple[str, str],
) -> None:
    document_id, _ = make_running(database, workspace)
    for _ in range(2):  # the second one changes nothing
        with web_database.transaction(workspace) as web:
            web.execute(
                "UPDATE source_documents SET initial_processing_status = %s WHERE document_uuid = %s",
                (status, document_id),
            )
    assert list_endings(conn) == [("fetch", *ending, 1)]


def test_an_extraction_job_cancelled_by_sql_is_counted(
    database: Database, web_database: Database, conn: Connection, workspace: UUID
) -> None:
    (job,) = enqueue_committed(database, NewJob(workspace, "fetch", "attachment_ingestion"))
    for _ in range(2):
        with web_database.transaction(workspace) as web:
            web.execute("UPDATE extraction_jobs SET status = 'cancelled' WHERE id = %s", (job,))
    assert list_endings(conn) == [("fetch", "cancelled", "", 1)]
