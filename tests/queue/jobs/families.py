"""Helpers for tests of parent and child jobs."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Completion, JobFailure, Lease, NewJob
from tests.queue.queue_workers import claim_one, enqueue_committed, make_job

CHILD_POOL = "chunk"


def make_child(workspace: UUID, **more: object) -> NewJob:
    return NewJob(workspace, CHILD_POOL, "child", **more)  # type: ignore[arg-type]


def wait_committed(database: Database, lease: Lease, *children: NewJob, seconds: float = 600) -> bool:
    with database.transaction() as conn:
        return queue.wait_for_children(conn, lease, children, seconds=seconds)


def make_family(database: Database, workspace: UUID, worker: UUID, children: int = 2) -> tuple[Lease, list[Lease]]:
    """Create a waiting parent with running children; return their leases."""
    enqueue_committed(database, make_job(workspace))
    parent = claim_one(database, worker)
    assert wait_committed(database, parent, *(make_child(workspace) for _ in range(children)))
    return parent, take_children(database, worker)


def take_children(database: Database, worker: UUID) -> list[Lease]:
    with database.transaction() as conn:
        return queue.claim(conn, CHILD_POOL, worker, 100)


def fetch_job(conn: Connection, lease: Lease) -> dict[str, Any]:
    return conn.execute("SELECT * FROM jobs WHERE id = %s", (lease.job_id,)).fetchone() or {}


def end_child(database: Database, lease: Lease, how: str) -> None:
    """End a child as done, dead or cancelled."""
    with database.transaction() as conn:
        if how == "cancelled":
            queue.cancel_jobs(conn, [lease.job_id])
        else:
            outcome = JobFailure(lease, "corrupt", "x", final=True) if how == "dead" else Completion(lease)
            assert queue.settle(conn, [outcome])
