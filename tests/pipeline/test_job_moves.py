"""Moves of a job to the pool of its stage: it stays the same job and uses up no attempt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Retry
from docyard.model.connections import connection_pool_name
from docyard.model.jobs import Lease
from docyard.pipeline import step as steps
from docyard.pipeline.stage_order import make_single_stage_job
from docyard.stages import get_stage
from docyard.store.connections import set_classifier
from docyard.store.results import delete_stages
from tests.builders.ai_server import AiServer, run_ai_server
from tests.builders.llm_connections import add_test_connection
from tests.pipeline.stage_runs import STAGE_NAMES, arrive, fail, finish, list_outcomes, load_document
from tests.queue.queue_workers import register_worker_committed


@pytest.fixture
def ai() -> Iterator[AiServer]:
    with run_ai_server() as running:
        yield running


def claim(database: Database, pool: str, worker: UUID) -> Lease:
    with database.transaction() as conn:
        conn.execute("UPDATE jobs SET run_at = now() WHERE state = 'scheduled'")
        conn.execute("UPDATE pools SET tokens = burst")  # a claim must not depend on the rate limit
        queue.promote_due(conn)
        (lease,) = queue.claim(conn, pool, worker, 1)
        return lease


def begin(database: Database, lease: Lease) -> steps.Step | None:
    with database.transaction() as conn:
        return steps.begin(conn, lease)


def job(conn: Connection) -> dict[str, Any]:
    (row,) = conn.execute("SELECT * FROM jobs WHERE type = 'document'").fetchall()
    return row


def open_breaker(conn: Connection, pool: str) -> None:
    conn.execute(
        "INSERT INTO pool_breakers (pool, state, open_until, category, message)"
        " VALUES (%s, 'open', now() + interval '1 hour', 'network', 'It is away.')",
        (pool,),
    )


def test_moves_a_job_from_the_pool_of_another_build(database: Database, conn: Connection, workspace: UUID) -> None:
    document = arrive(database, workspace)
    conn.execute("INSERT INTO pools (pool, resource) VALUES ('translate', 'cpu')")
    conn.execute("UPDATE jobs SET pool = 'translate', stage = 'translate'")
    before, worker = job(conn), register_worker_committed(database)
    lease = claim(database, "translate", worker)
    assert begin(database, lease) is None
    moved = job(conn)
    assert (moved["id"], moved["pool"], moved["stage"]) == (before["id"], "fetch", "fetch")
    assert (moved["state"], moved["attempts"], moved["worker_id"]) == ("pending", 0, None)
    assert conn.execute("SELECT FROM job_history").fetchall() == []
    finish(database, worker)
    assert load_document(conn, document).status == "completed"


def test_refuses_the_old_lease_after_a_move(database: Database, conn: Connection, workspace: UUID) -> None:
    document = arrive(database, workspace)
    conn.execute("INSERT INTO pools (pool, resource) VALUES ('translate', 'cpu')")
    conn.execute("UPDATE jobs SET pool = 'translate'")
    lease = claim(database, "translate", register_worker_committed(database))
    assert begin(database, lease) is None
    moved = job(conn)
    assert not fail(database, lease, Retry("crash", "The reader crashed."))
    assert begin(database, lease) is None
    with database.transaction() as late:
        assert not queue.move(late, lease, "ocr", "ocr")
    assert (job(conn), list_outcomes(conn, document)) == (moved, {})


def test_a_single_stage_job_that_is_moved_becomes_a_document_job(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    """Its own stage already has a result, but other stages have none, as after an upgrade."""
    document, worker = arrive(database, workspace), register_worker_committed(database)
    finish(database, worker)
    conn.execute("DELETE FROM jobs")
    with database.transaction() as other:
        queue.enqueue(other, [make_single_stage_job(other, load_document(other, document), get_stage("relate"))])
        delete_stages(other, document, ["chunk", "fields", "entities"])
    assert begin(database, claim(database, "relate", worker)) is None
    moved = job(conn)
    assert (moved["pool"], moved["stage"], moved["payload"], moved["attempts"]) == ("chunk", "chunk", {}, 0)
    lease = claim(database, "chunk", worker)
    assert begin(database, lease) is not None
    assert fail(database, lease, Retry("crash", "It crashed."))
    finish(database, worker)
    assert list_outcomes(conn, document) == dict.fromkeys(STAGE_NAMES, "done")
    queued = conn.execute("SELECT type FROM jobs").fetchall()
    assert queued == [{"type": "embed_document"}], "the new chunks need vectors"


@pytest.mark.parametrize("act", ["move", "set_stage"])
def test_a_new_stage_clears_the_flags_of_the_previous_one(
    database: Database, conn: Connection, workspace: UUID, act: str
) -> None:
    arrive(database, workspace)
    flags = {"alone": True, "retry": True, "without": "It is away."}
    conn.execute("UPDATE jobs SET payload = %s", (Jsonb(flags),))
    lease = claim(database, "fetch", register_worker_committed(database))
    with database.transaction() as other:
        if act == "move":
            assert queue.move(other, lease, "relate", "relate")
        else:
            queue.set_stage(other, lease, "relate")
    assert (job(conn)["stage"], job(conn)["payload"]) == ("relate", {"without": "It is away."})


def test_moves_a_job_to_the_newly_chosen_connection(
    database: Database, conn: Connection, workspace: UUID, ai: AiServer
) -> None:
    first = add_test_connection(database, workspace, ai, name="first")
    second = add_test_connection(database, workspace, ai, name="second", classifies=False)
    document, worker = arrive(database, workspace), register_worker_committed(database)
    finish(database, worker)  # up to the LLM stage
    lease = claim(database, connection_pool_name(first), worker)
    step = begin(database, lease)
    assert step is not None
    assert step.stage.name == "classify_ai"
    assert fail(database, lease, Retry("llm_unreachable", "It did not answer."))
    set_classifier(conn, workspace, second)
    lease = claim(database, connection_pool_name(first), worker)
    assert begin(database, lease) is None
    moved = job(conn)
    assert (moved["id"], moved["pool"], moved["attempts"]) == (lease.job_id, connection_pool_name(second), 1)
    assert [failure["category"] for failure in moved["failure_history"]] == ["llm_unreachable"]
    step = begin(database, claim(database, connection_pool_name(second), worker))
    assert step is not None
    assert (step.stage.name, load_document(conn, document).stage) == ("classify_ai", "classify_ai")


def test_the_wait_for_a_model_starts_in_its_pool(
    database: Database, conn: Connection, workspace: UUID, ai: AiServer
) -> None:
    """A document queued again by SQL may wait a long time before its job reaches the pool of the model."""
    pool = connection_pool_name(add_test_connection(database, workspace, ai))
    arrive(database, workspace)
    worker = register_worker_committed(database)
    finish(database, worker)  # up to the LLM stage
    conn.execute("UPDATE jobs SET pool = 'fetch', created_at = now() - interval '1 hour' WHERE pool = %s", (pool,))
    open_breaker(conn, pool)
    assert begin(database, claim(database, "fetch", worker)) is None
    assert job(conn)["pool"] == pool
    assert queue.skip_unavailable_llm(conn, pool="fetch", longest=180, limit=10) == 0
    conn.execute("UPDATE jobs SET created_at = created_at - interval '181 seconds'")
    assert queue.skip_unavailable_llm(conn, pool="fetch", longest=180, limit=10) == 1


def test_a_job_continues_without_a_model_if_none_is_chosen(
    database: Database, conn: Connection, workspace: UUID, ai: AiServer
) -> None:
    connection = add_test_connection(database, workspace, ai)
    document, worker = arrive(database, workspace), register_worker_committed(database)
    finish(database, worker)  # up to the LLM stage
    set_classifier(conn, workspace, None)
    assert begin(database, claim(database, connection_pool_name(connection), worker)) is None
    assert (job(conn)["pool"], job(conn)["attempts"]) == ("fields", 0)
    finish(database, worker)
    assert load_document(conn, document).status == "completed"
    assert "classify_ai" not in list_outcomes(conn, document)
