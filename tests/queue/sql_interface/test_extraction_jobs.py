"""Tests of inserts into extraction_jobs, and of its rows."""

from __future__ import annotations

from uuid import UUID, uuid4

import psycopg
import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Completion, JobFailure, Lease, NewJob
from docyard.model.tiers import Tier
from docyard.stages import STAGES
from tests.queue.queue_workers import register_worker
from tests.queue.sql_interface.sql_session import fetch_one

ADD = (
    "INSERT INTO extraction_jobs (yacht_id, job_type, priority, entity_type, entity_id, payload)"
    " VALUES (%s, %s, %s, 'work_order', %s, %s) RETURNING *"
)
TYPES = ("email_embedding", "attachment_ingestion", "document_ocr")


def take(database: Database, pool: str = "fetch") -> Lease:
    with database.transaction() as conn:
        (lease,) = queue.claim(conn, pool, register_worker(conn), 1)
        return lease


def list_jobs(conn: Connection, entity_id: str) -> list[dict[str, object]]:
    """Return the jobs of an entity as the view shows them."""
    return conn.execute(
        "SELECT job_type, priority, status, attempts, error FROM extraction_jobs"
        " WHERE entity_type = 'work_order' AND entity_id = %s ORDER BY created_at, id",
        (entity_id,),
    ).fetchall()


@pytest.mark.parametrize("job_type", TYPES)
@pytest.mark.parametrize("tier", Tier)
def test_an_inserted_job_is_pending_in_its_pool_and_tier(
    conn: Connection, workspace: UUID, job_type: str, tier: Tier
) -> None:
    made = fetch_one(conn, ADD, workspace, job_type, tier.label, "wo-1", '{"attachment_id": 7}')
    assert (made["status"], made["attempts"], made["payload"]) == ("pending", 0, {"attachment_id": 7})
    job = fetch_one(conn, "SELECT id, workspace_id, pool, tier, type, payload, state FROM jobs")
    assert job == {
        "id": made["id"],
        "workspace_id": workspace,
        "pool": STAGES[0].name,
        "tier": int(tier),
        "type": job_type,
        "payload": {"attachment_id": 7},
        "state": "pending",
    }
    assert fetch_one(conn, "SELECT pool FROM pools WHERE pool = %s", STAGES[0].name)


def test_workspace_and_job_type_are_sufficient(conn: Connection, workspace: UUID) -> None:
    conn.execute(
        "INSERT INTO extraction_jobs (yacht_id, job_type, metadata)"
        " VALUES (%s, 'document_ocr', '{\"from\": \"ship\"}')",
        (workspace,),
    )
    row = fetch_one(conn, "SELECT * FROM extraction_jobs")
    assert (row["priority"], row["payload"], row["status"]) == ("background", {}, "pending")
    assert row["metadata"] == {"from": "ship", "pool": STAGES[0].name, "failure_history": []}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"job_type": "dance"}, "no job type 'dance'; use email_embedding"),
        ({"job_type": "document"}, "no job type 'document'"),
        ({"job_type": None}, "no job type NULL"),
        ({"priority": "urgent"}, "no priority 'urgent'; use one of user_upload, background, low"),
        ({"payload": "[1]"}, "payload must be a JSON object"),
        ({"payload": '"text"'}, "payload must be a JSON object"),
        ({"payload": "null"}, "payload must be a JSON object"),
        ({"payload": '{"a": "%s"}' % ("x" * 70_000)}, "at most 64 KiB"),
        ({"metadata": "[]"}, "metadata must be a JSON object"),
        ({"status": "completed"}, "new job must be pending"),
        ({"yacht_id": uuid4()}, "no workspace with yacht_id"),
        ({"yacht_id": None}, "no workspace with yacht_id NULL"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_an_invalid_job_is_rejected_with_a_message(
    conn: Connection, workspace: UUID, change: dict[str, object], error: str
) -> None:
    row: dict[str, object] = {"yacht_id": workspace, "job_type": "document_ocr", **change}
    marks = ", ".join(["%s"] * len(row))
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=error):
        conn.execute(
            f"INSERT INTO extraction_jobs ({', '.join(row)}) VALUES ({marks})".encode(),  # noqa: S608 (constant text)
            list(row.values()),
        )
    assert fetch_one(conn, "SELECT count(*) AS n FROM jobs") == {"n": 0}


def test_jobs_of_an_entity_are_listed_in_every_status(database: Database, conn: Connection, workspace: UUID) -> None:
    jobs = {}
    for entity in ("done", "dead", "running", "waiting"):
        jobs[entity] = fetch_one(conn, ADD, workspace, "attachment_ingestion", "user_upload", entity, "{}")["id"]
    leases = {"done": take(database), "dead": take(database), "running": take(database)}
    assert {name: lease.job_id for name, lease in leases.items()} == {
        name: jobs[name] for name in ("done", "dead", "running")
    }
    queue.settle(conn, [Completion(leases["done"]), JobFailure(leases["dead"], "corrupt", "It's bad.", final=True)])
    listed = {name: list_jobs(conn, name) for name in jobs}
    shared = {"job_type": "attachment_ingestion", "priority": "user_upload"}
    assert listed == {
        "done": [{**shared, "status": "completed", "attempts": 1, "error": None}],
        "dead": [{**shared, "status": "failed", "attempts": 1, "error": "It's bad."}],
        "running": [{**shared, "status": "processing", "attempts": 1, "error": None}],
        "waiting": [{**shared, "status": "pending", "attempts": 0, "error": None}],
    }
    row = fetch_one(conn, "SELECT * FROM extraction_jobs WHERE entity_id = 'done'")
    assert row["completed_by"] == str(leases["done"].worker_id)
    assert row["started_at"] <= row["completed_at"]


def test_jobs_enqueued_from_python_are_listed_without_those_of_the_pipeline(conn: Connection, workspace: UUID) -> None:
    conn.execute("INSERT INTO documents (workspace_id, name) VALUES (%s, 'a')", (workspace,))
    new = NewJob(workspace, "fetch", "email_embedding", entity_type="email", entity_id="e-1")
    (job_id,) = queue.enqueue(conn, [new])
    assert fetch_one(conn, "SELECT id FROM extraction_jobs") == {"id": job_id}


def test_an_insert_notifies_workers(database: Database, conn: Connection, workspace: UUID) -> None:
    conn.execute("LISTEN docyard_jobs")
    conn.execute(ADD, (workspace, "document_ocr", "low", "x", "{}"))
    (notice,) = conn.notifies(timeout=10, stop_after=1)
    assert notice.payload == STAGES[0].name
