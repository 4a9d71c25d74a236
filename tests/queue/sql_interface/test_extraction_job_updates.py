"""Tests of updates of extraction_jobs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Completion, JobFailure, NewJob
from tests.queue.queue_workers import register_worker
from tests.queue.sql_interface.sql_session import fetch_one


def add(conn: Connection, workspace: UUID, **more: Any) -> UUID:
    """Enqueue a job for a work order; return its id."""
    new = NewJob(workspace, "fetch", "attachment_ingestion", entity_type="work_order", entity_id="wo-1")
    (job_id,) = queue.enqueue(conn, [replace(new, **more)])
    return job_id


def change(conn: Connection, job_id: UUID, **columns: object) -> int:
    """Update columns of a job; return how many rows changed."""
    settings = [sql.SQL("{} = {}").format(sql.Identifier(name), value) for name, value in columns.items()]
    query = sql.SQL("UPDATE extraction_jobs SET {} WHERE id = {}")
    return conn.execute(query.format(sql.SQL(", ").join(settings), job_id)).rowcount


def status(conn: Connection, job_id: UUID) -> object:
    """Return the status of a job in the view."""
    return fetch_one(conn, "SELECT status FROM extraction_jobs WHERE id = %s", job_id)["status"]


@pytest.mark.parametrize("running", [False, True], ids=["queued", "running"])
def test_a_late_result_of_a_cancelled_job_is_refused(conn: Connection, workspace: UUID, *, running: bool) -> None:
    job_id = add(conn, workspace)
    leases = queue.claim(conn, "fetch", register_worker(conn), 1) if running else []
    assert change(conn, job_id, status="cancelled") == 1
    assert status(conn, job_id) == "cancelled"
    assert queue.settle(conn, [Completion(lease) for lease in leases]) == set()
    assert queue.claim(conn, "fetch", register_worker(conn), 1) == []
    assert change(conn, job_id, status="cancelled") == 0


@pytest.mark.parametrize(("category", "revived"), [("network", 1), ("corrupt", 0)])
def test_a_failed_job_is_requeued_if_it_is_retryable(
    conn: Connection, workspace: UUID, category: str, revived: int
) -> None:
    job_id = add(conn, workspace)
    (lease,) = queue.claim(conn, "fetch", register_worker(conn), 1)
    queue.settle(conn, [JobFailure(lease, category, "It went wrong.", final=True)])
    assert change(conn, job_id, status="pending") == revived
    assert len(queue.claim(conn, "fetch", register_worker(conn), 1)) == revived


def test_setting_pending_makes_a_scheduled_job_pending(conn: Connection, workspace: UUID) -> None:
    job_id = add(conn, workspace, delay_seconds=3600)
    assert queue.claim(conn, "fetch", register_worker(conn), 1) == []
    # As after a failure: the view shows the job as failed until its next attempt.
    conn.execute("UPDATE jobs SET failure_history = '[{\"attempt\": 0}]'")
    assert status(conn, job_id) == "failed"
    assert change(conn, job_id, status="pending") == 1
    assert len(queue.claim(conn, "fetch", register_worker(conn), 1)) == 1


@pytest.mark.parametrize(
    "columns",
    [
        {"status": "completed"},
        {"status": "processing"},
        {"status": None},
        {"payload": "{}"},
        {"status": "cancelled", "entity_id": "wo-2"},
        {"yacht_id": "00000000-0000-0000-0000-000000000000"},
    ],
    ids=str,
)
def test_other_changes_are_rejected(database: Database, workspace: UUID, columns: dict[str, object]) -> None:
    with database.transaction() as conn:
        job_id = add(conn, workspace, payload={"a": 1})
    with pytest.raises(psycopg.errors.InvalidParameterValue), database.transaction() as conn:
        change(conn, job_id, **columns)
    with database.transaction() as conn:
        assert status(conn, job_id) == "pending"


def test_jobs_of_another_workspace_cannot_be_changed(
    database: Database, web_database: Database, workspace: UUID, other_workspace: UUID
) -> None:
    with database.transaction() as conn:
        job_id = add(conn, workspace)
    with web_database.transaction(other_workspace) as conn:
        assert change(conn, job_id, status="cancelled") == 0
    with web_database.transaction(workspace) as conn:
        assert change(conn, job_id, status="cancelled") == 1
