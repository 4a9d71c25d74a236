"""The pools that a worker serves, including those created while it runs."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from docyard import queue
from docyard.model.jobs import NewJob
from docyard.pipeline.run import Pipeline
from docyard.queue import control
from docyard.worker import WorkerOptions
from docyard.worker.served_pools import refresh_pools, sort_enrichment_last
from tests.queue.queue_workers import register_worker_committed
from tests.worker.worker_runs import OPTIONS, fetch_row, run_in_thread, wait_until


def _list_pools(pipeline: Pipeline, resource: str = "%") -> list[str]:
    """Return the existing pools in reverse order, an order that no code under test produces."""
    query = "SELECT array_agg(pool ORDER BY pool DESC) AS pools FROM pools WHERE resource LIKE %s"
    return list(fetch_row(pipeline, query, resource)["pools"])


def _create(pipeline: Pipeline, name: str, resource: str = "llm") -> None:
    with pipeline.db.transaction() as conn:
        assert control.create_pool(conn, name, resource, max_running=10, rate=20.0, burst=10)


def test_serves_a_pool_created_while_the_worker_runs(pipeline: Pipeline, workspace: UUID) -> None:
    with run_in_thread(pipeline, replace(OPTIONS, lease_seconds=1.0)):
        wait_until(lambda: fetch_row(pipeline, "SELECT id FROM workers WHERE state = 'alive'"), "the worker")
        _create(pipeline, "my-model")
        with pipeline.db.transaction() as conn:
            queue.enqueue(conn, [NewJob(workspace, "my-model", "nobody knows me")])
        letter = wait_until(lambda: fetch_row(pipeline, "SELECT pool, category FROM dead_letters"), "the job to run")
        assert letter == {"pool": "my-model", "category": "unknown_type"}
        row = fetch_row(pipeline, "SELECT pools FROM workers WHERE state = 'alive'")
        assert sorted(row["pools"]) == sorted(_list_pools(pipeline))
        assert "my-model" in row["pools"]


def test_serves_enrichment_last() -> None:
    assert sort_enrichment_last(["embed", "chunk", "fetch"]) == ["chunk", "fetch", "embed"]


def test_keeps_the_order_of_pools_and_applies_the_options(pipeline: Pipeline) -> None:
    worker = register_worker_committed(pipeline.db)
    pools = _list_pools(pipeline)
    assert refresh_pools(pipeline.db, worker, WorkerOptions(), pools) is pools
    cpu = _list_pools(pipeline, "cpu")
    _create(pipeline, "model")
    assert refresh_pools(pipeline.db, worker, WorkerOptions(), pools) == [*pools, "model"]
    assert refresh_pools(pipeline.db, worker, WorkerOptions(resources=("cpu",)), cpu) is cpu
    assert refresh_pools(pipeline.db, worker, WorkerOptions(resources=("llm",)), ["gone"]) == ["model"]
    assert refresh_pools(pipeline.db, worker, WorkerOptions(stages=("chunk",)), ["chunk"]) == ["chunk"]
    assert refresh_pools(pipeline.db, worker, WorkerOptions(stages=("gone",)), ["gone"]) == ["gone"]
