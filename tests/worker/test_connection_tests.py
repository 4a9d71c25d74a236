"""Connection tests that a worker runs over real HTTP, and their saved results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from docyard import queue
from docyard.model.connections import TEST_JOB_TYPE, connection_pool_name
from docyard.model.jobs import NewJob
from docyard.pipeline.run import Pipeline
from docyard.store.key_encryption import KeyCipher
from tests.builders.ai_server import KEY, AiServer, run_ai_server
from tests.builders.llm_connections import CIPHER, add_test_connection
from tests.worker.worker_runs import fetch_rows, run_until_idle


@pytest.fixture
def ai() -> Iterator[AiServer]:
    with run_ai_server() as running:
        running.answer = {"answer": "hello"}
        yield running


def run_connection_test(pipeline: Pipeline, workspace: UUID, connection: UUID, pool: str = "") -> dict[str, Any]:
    job = NewJob(
        workspace, pool or connection_pool_name(connection), TEST_JOB_TYPE, payload={"connection": str(connection)}
    )
    with pipeline.db.transaction() as conn:
        queue.enqueue(conn, [job])
    run_until_idle(pipeline)
    assert fetch_rows(pipeline, "SELECT FROM jobs") == []
    assert fetch_rows(pipeline, "SELECT FROM dead_letters") == []
    return fetch_rows(pipeline, "SELECT tried_at, tried_seconds, trouble FROM connections")[0]


def test_saves_the_result_of_a_connection_test(pipeline: Pipeline, workspace: UUID, ai: AiServer) -> None:
    keyed_pipeline = replace(pipeline, cipher=CIPHER, limits=replace(pipeline.limits, ai_seconds=5.0))
    connection = add_test_connection(keyed_pipeline.db, workspace, ai)
    good = run_connection_test(keyed_pipeline, workspace, connection)
    assert (good["trouble"], good["tried_at"] is None) == (None, False)
    assert KEY in str(ai.asked[0]["headers"])
    ai.mode = "key"
    bad = run_connection_test(keyed_pipeline, workspace, connection)
    assert "refused the key (HTTP 401" in bad["trouble"]
    assert KEY not in bad["trouble"]
    ai.mode = "good"
    assert run_connection_test(keyed_pipeline, workspace, connection)["trouble"] is None


def test_reports_a_key_that_the_worker_cannot_decrypt(pipeline: Pipeline, workspace: UUID, ai: AiServer) -> None:
    connection = add_test_connection(pipeline.db, workspace, ai)
    assert (
        "set DOCYARD_SECRET_KEY"
        in run_connection_test(replace(pipeline, cipher=None), workspace, connection)["trouble"]
    )
    other = replace(pipeline, cipher=KeyCipher(["another secret of the test suite"]))
    assert run_connection_test(other, workspace, connection)["trouble"]
    assert ai.asked == []


def test_skips_a_removed_connection(pipeline: Pipeline, workspace: UUID, ai: AiServer) -> None:
    add_test_connection(pipeline.db, workspace, ai)
    keyed_pipeline = replace(pipeline, cipher=CIPHER)
    assert run_connection_test(keyed_pipeline, workspace, uuid4(), pool="classify")["tried_at"] is None
    assert ai.asked == []
