"""Tests of LLM connections by a worker over real HTTP, and the saved results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from docyard import queue
from docyard.model.connections import TRY, pool_of
from docyard.model.jobs import NewJob
from docyard.pipeline.run import Pipeline
from docyard.store.key_encryption import Seal
from tests.builders.ai_server import KEY, AiServer, ai_server
from tests.builders.llm_connections import SEAL, connect
from tests.worker.worker_runs import rows, work


@pytest.fixture
def ai() -> Iterator[AiServer]:
    with ai_server() as running:
        running.answer = {"answer": "hello"}
        yield running


def run_connection_test(
    pipeline: Pipeline, workspace: UUID, connection: UUID, pool: str = ""
) -> dict[str, Any]:
    job = NewJob(workspace, pool or pool_of(connection), TRY, payload={"connection": str(connection)})
    with pipeline.db.transaction() as conn:
        queue.enqueue(conn, [job])
    work(pipeline)
    assert rows(pipeline, "SELECT FROM jobs") == []
    assert rows(pipeline, "SELECT FROM dead_letters") == []
    return rows(pipeline, "SELECT tried_at, tried_seconds, trouble FROM connections")[0]


def test_saves_the_result_of_a_connection_test(pipeline: Pipeline, workspace: UUID, ai: AiServer) -> None:
    asking = replace(pipeline, seal=SEAL, limits=replace(pipeline.limits, ai_seconds=5.0))
    connection = connect(asking.db, workspace, ai)
    good = run_connection_test(asking, workspace, connection)
    assert (good["trouble"], good["tried_at"] is None) == (None, False)
    assert KEY in str(ai.asked[0]["headers"])
    ai.mode = "key"
    bad = run_connection_test(asking, workspace, connection)
    assert "refused the key (HTTP 401" in bad["trouble"]
    assert KEY not in bad["trouble"]
    ai.mode = "good"
    assert run_connection_test(asking, workspace, connection)["trouble"] is None


def test_reports_a_key_that_the_worker_cannot_decrypt(
    pipeline: Pipeline, workspace: UUID, ai: AiServer
) -> None:
    connection = connect(pipeline.db, workspace, ai)
    assert (
        "set DOCYARD_SECRET_KEY"
        in run_connection_test(replace(pipeline, seal=None), workspace, connection)["trouble"]
    )
    other = replace(pipeline, seal=Seal(["another secret of the test suite"]))
    assert run_connection_test(other, workspace, connection)["trouble"]
    assert ai.asked == []


def test_skips_a_removed_connection(pipeline: Pipeline, workspace: UUID, ai: AiServer) -> None:
    connect(pipeline.db, workspace, ai)
    asking = replace(pipeline, seal=SEAL)
    assert run_connection_test(asking, workspace, uuid4(), pool="classify")["tried_at"] is None
    assert ai.asked == []
