"""Notices of new jobs are few, and a worker loses nothing by it."""

from __future__ import annotations

import sys
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
from docyard.worker.settlements import Finished
from docyard.worker.stopping import Stopping

NEVER = 100_000.0


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Is set when a job of the test's type has run."""
    event = threading.Event()

    def run(*_: object) -> Finished:
        event.set()
        return Finished()

    monkeypatch.setitem(HANDLERS, "test", run)
    return event


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Is set whenever the worker has looked for work."""
    event, look = threading.Event(), queue.pools_with_work

    def look_and_tell(conn: Connection, pools: Any) -> list[str]:
        found = look(conn, pools)
        event.set()
        return found

    monkeypatch.setattr(queue, "pools_with_work", look_and_tell)
    return event


@pytest.fixture
def working(pipeline: Pipeline) -> Iterator[None]:
    """A worker that never looks by itself while the test lasts."""
    stopping = Stopping()
    options = WorkerOptions(slots=1, poll_interval=NEVER, lease_seconds=6 * NEVER)
    thread = threading.Thread(target=run_worker, args=(pipeline, options, stopping))
    thread.start()
    yield
    stopping.ask()
    thread.join()


def test_what_was_enqueued_just_after_a_notice_is_found_without_another(
    database: Database,
    workspace: UUID,
    done: threading.Event,
    looked: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.setattr("docyard.worker.worker._SECOND_LOOK_AFTER", 3.0)
    # The package gives the function under the module's name. Nothing of the pool is told any more.
    monkeypatch.setattr(sys.modules["docyard.queue.jobs.enqueue"], "_last_notified", {"fetch": float("inf")})
    request.getfixturevalue("working")
    with database.transaction() as conn:
        queue.enqueue(conn, [NewJob(workspace, "fetch", "test")])
        looked.clear()
        with database.statement() as other:
            other.execute("NOTIFY docyard_jobs, 'fetch'")
        assert looked.wait(60), "the worker did not look for work when told"
    assert done.wait(60), "the worker did not look a second time"


def test_a_burst_of_jobs_is_told_once(database: Database, workspace: UUID) -> None:
    heard = []
    with database.connect() as conn:
        conn.execute("LISTEN docyard_jobs")
        for _ in range(200):
            with database.transaction() as other:
                queue.enqueue(other, [NewJob(workspace, "chunk", "test")])
        conn.add_notify_handler(lambda notice: heard.append(notice.payload))
        conn.execute("NOTIFY docyard_jobs, 'end'")
        conn.execute("SELECT")
    assert heard.count("chunk") >= 1
    assert heard.count("chunk") < 200
