"""Notifications of new jobs are limited, but workers still find every job promptly."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import NewJob
from docyard.pipeline.run import Pipeline
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.execution import HANDLERS
from docyard.worker.settlements import JobResult
from docyard.worker.stop_request import StopRequest

NEVER = 100_000.0


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """An event that is set when a job of type `test` has run."""
    event = threading.Event()

    def run(*_: object) -> JobResult:
        event.set()
        return JobResult()

    monkeypatch.setitem(HANDLERS, "test", run)
    return event


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """An event that is set whenever the worker has checked for work."""
    event, pools_with_work = threading.Event(), queue.find_pools_with_jobs

    def check(conn: Connection, pools: Any) -> list[str]:
        found = pools_with_work(conn, pools)
        event.set()
        return found

    monkeypatch.setattr(queue, "find_pools_with_jobs", check)
    return event


@pytest.fixture
def working(pipeline: Pipeline) -> Iterator[None]:
    """A worker that checks for work only when notified."""
    stopping = StopRequest()
    options = WorkerOptions(slots=1, poll_interval=NEVER, lease_seconds=6 * NEVER)
    thread = threading.Thread(target=run_worker, args=(pipeline, options, stopping))
    thread.start()
    yield
    stopping.request_stop()
    thread.join()


def test_finds_jobs_enqueued_right_after_a_notification(
    database: Database,
    workspace: UUID,
    done: threading.Event,
    checked: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.setattr("docyard.worker.worker._SECOND_CHECK_AFTER", 3.0)
    # Suppress notifications about the pool.
    monkeypatch.setattr("docyard.queue.jobs.insertion._last_notified", {"fetch": float("inf")})
    request.getfixturevalue("working")
    with database.transaction() as conn:
        queue.enqueue(conn, [NewJob(workspace, "fetch", "test")])
        checked.clear()
        with database.statement() as other:
            other.execute("NOTIFY docyard_jobs, 'fetch'")
        assert checked.wait(60), "the worker did not check for work when notified"
    assert done.wait(60), "the worker did not check a second time"


def test_a_burst_of_jobs_sends_few_notifications(database: Database, workspace: UUID) -> None:
    payloads = []
    with database.connect() as conn:
        conn.execute("LISTEN docyard_jobs")
        for _ in range(200):
            with database.transaction() as other:
                queue.enqueue(other, [NewJob(workspace, "chunk", "test")])
        conn.add_notify_handler(lambda notice: payloads.append(notice.payload))
        conn.execute("NOTIFY docyard_jobs, 'end'")
        conn.execute("SELECT")
    assert payloads.count("chunk") >= 1
    assert payloads.count("chunk") < 200
