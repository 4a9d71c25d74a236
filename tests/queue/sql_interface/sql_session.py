"""Helpers that read and write the SQL interface, and create documents in various states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Retry
from docyard.model.jobs import JobFailure, Lease
from tests.pipeline.stage_runs import arrive, fail, run_until
from tests.queue.queue_workers import register_worker

Psql = Callable[[str], str]


def fetch_one(conn: Connection, query: str, *params: object) -> dict[str, Any]:
    """Return the only row of a query."""
    (row,) = conn.execute(query.encode(), params or None).fetchall()
    return row


def fetch_queue_entry(conn: Connection, document_id: UUID) -> dict[str, Any]:
    """Return the row of a document in document_processing_queue."""
    return fetch_one(conn, "SELECT * FROM document_processing_queue WHERE source_document_uuid = %s", document_id)


def fetch_source_document(conn: Connection, document_id: UUID) -> dict[str, Any]:
    """Return the row of a document in source_documents."""
    return fetch_one(conn, "SELECT * FROM source_documents WHERE document_uuid = %s", document_id)


def get_source_status(conn: Connection, document_id: UUID) -> str:
    """Return the status of a document in source_documents."""
    return str(fetch_source_document(conn, document_id)["initial_processing_status"])


def set_source_status(conn: Connection, document_id: UUID, status: str | None) -> int:
    """Set the status in source_documents, like an outside processor; return how many rows changed."""
    change = "UPDATE source_documents SET initial_processing_status = %s WHERE document_uuid = %s"
    return conn.execute(change, (status, document_id)).rowcount


def set_queue_status(conn: Connection, document_id: UUID, status: str | None) -> int:
    """Set the status in document_processing_queue, like an operator; return how many rows changed."""
    change = "UPDATE document_processing_queue SET status = %s WHERE source_document_uuid = %s"
    return conn.execute(change, (status, document_id)).rowcount


def list_job_outcomes(conn: Connection, document_id: UUID) -> list[str]:
    """Return the outcomes of the document's ended jobs, sorted."""
    rows = conn.execute(
        "SELECT outcome FROM job_history WHERE document_id = %(d)s"
        " UNION ALL SELECT 'dead' FROM dead_letters WHERE document_id = %(d)s",
        {"d": document_id},
    )
    return sorted(row["outcome"] for row in rows)


def make_running(database: Database, workspace: UUID, stage: str = "extract") -> tuple[UUID, Lease]:
    """Create a document that a worker is processing at this stage; return its id and the lease."""
    document_id = arrive(database, workspace, f"{uuid4()}.pdf")
    with database.transaction() as conn:
        conn.execute("UPDATE jobs SET priority = -9 WHERE document_id = %s", (document_id,))
        (lease,) = queue.claim(conn, "fetch", register_worker(conn), 1)
    assert lease.document_id == document_id
    run_until(database, lease, stage)
    return document_id, lease


def make_scheduled(database: Database, workspace: UUID, message: str = "No route.", category: str = "network") -> UUID:
    """Create a document that failed once and waits for its next attempt."""
    document_id, lease = make_running(database, workspace)
    assert fail(database, lease, Retry(category, message))
    return document_id


def make_dead(database: Database, workspace: UUID, category: str, message: str = "It died.") -> UUID:
    """Create a failed document with a dead letter of this category after one attempt."""
    document_id, lease = make_running(database, workspace)
    with database.transaction() as conn:
        assert queue.settle(conn, [JobFailure(lease, category, message, final=True)])
        conn.execute(
            "UPDATE documents SET status = 'failed', reason = %s, reason_category = %s, completed_at = now()"
            " WHERE id = %s",
            (message, category, document_id),
        )
    return document_id


def move_into_past(conn: Connection, document_id: UUID, interval: str = "6 minutes") -> None:
    """Move the times of a document, and the start of its jobs, into the past by this interval."""
    conn.execute(
        "UPDATE documents SET updated_at = updated_at - %(i)s::interval,"
        " completed_at = completed_at - %(i)s::interval, created_at = created_at - %(i)s::interval,"
        " attempt_started_at = attempt_started_at - %(i)s::interval WHERE id = %(d)s",
        {"i": interval, "d": document_id},
    )
    conn.execute(
        "UPDATE jobs SET started_at = started_at - %s::interval WHERE document_id = %s", (interval, document_id)
    )
