"""A real worker in a thread of the test, and helpers that wait for it and query the database."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import monotonic
from typing import Any
from uuid import UUID

from docyard.intake import Arrival, receive
from docyard.pipeline.run import Pipeline
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.stop_request import StopRequest

_TIMEOUT = 60.0
OPTIONS = WorkerOptions(slots=1, lease_seconds=3.0, poll_interval=0.2)


@contextmanager
def run_in_thread(pipeline: Pipeline, options: WorkerOptions = OPTIONS) -> Iterator[StopRequest]:
    """Run a worker until the block ends."""
    stopping = StopRequest()
    with ThreadPoolExecutor(1) as thread:
        working = thread.submit(run_worker, pipeline, options, stopping)
        try:
            yield stopping
        finally:
            stopping.request_stop()
            working.result(timeout=_TIMEOUT)


def wait_until(condition: Callable[[], Any], what: str) -> Any:
    """Return the value of the condition as soon as it is true; fail after a minute."""
    deadline = monotonic() + _TIMEOUT
    while not (value := condition()):
        assert monotonic() < deadline, f"timed out waiting for {what}"
        threading.Event().wait(0.02)
    return value


def fetch_row(pipeline: Pipeline, query: str, *params: object) -> dict[str, Any]:
    """Return the first row of a query, or an empty dictionary."""
    with pipeline.db.transaction() as conn:
        return conn.execute(query.encode(), params).fetchone() or {}


def fetch_rows(pipeline: Pipeline, query: str, *params: object) -> list[dict[str, Any]]:
    """Return all rows of a query."""
    with pipeline.db.transaction() as conn:
        return conn.execute(query.encode(), params or None).fetchall()


def upload_text(pipeline: Pipeline, workspace: UUID, text: str, name: str = "invoice.txt") -> UUID:
    """Upload a text document and return its id."""
    return upload_bytes(pipeline, workspace, text.encode(), name)


def upload_bytes(pipeline: Pipeline, workspace: UUID, data: bytes, name: str) -> UUID:
    """Upload a document and return its id."""
    arrival = Arrival(workspace, name, "upload")
    return receive(pipeline.db, pipeline.blobs, pipeline.limits, arrival, [data]).document_id


def run_all_attempts(pipeline: Pipeline) -> None:
    """Run a worker until no jobs are left, without waiting for the delays of retries."""
    for _ in range(20):
        run_worker(pipeline, WorkerOptions(slots=1, single_run=True), StopRequest())
        fetch_rows(pipeline, "UPDATE jobs SET run_at = now() WHERE state = 'scheduled' RETURNING id")
        if not fetch_rows(pipeline, "SELECT FROM jobs"):
            return
    raise AssertionError("jobs are left")


def run_until_idle(pipeline: Pipeline, slots: int = 2) -> None:
    """Run a worker repeatedly until no jobs are left, at most 50 times."""
    for _ in range(50):
        run_worker(pipeline, WorkerOptions(slots=slots, single_run=True), StopRequest())
        if not fetch_rows(pipeline, "SELECT FROM jobs"):
            return
