"""A real worker in a thread of the test, and waiting for what it does."""

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
from docyard.worker.stopping import Stopping

_PATIENCE = 60.0
OPTIONS = WorkerOptions(slots=1, lease_seconds=3.0, poll_interval=0.2)


@contextmanager
def at_work(pipeline: Pipeline, options: WorkerOptions = OPTIONS) -> Iterator[Stopping]:
    """A worker that works until the block ends."""
    stopping = Stopping()
    with ThreadPoolExecutor(1) as thread:
        working = thread.submit(run_worker, pipeline, options, stopping)
        try:
            yield stopping
        finally:
            stopping.ask()
            working.result(timeout=_PATIENCE)


def wait_until(condition: Callable[[], Any], what: str) -> Any:
    """What the condition gives once it is true; fails loudly if it never is."""
    until = monotonic() + _PATIENCE
    while not (found := condition()):
        assert monotonic() < until, f"waited in vain for {what}"
        threading.Event().wait(0.02)
    return found


def ask(pipeline: Pipeline, query: str, *given: object) -> dict[str, Any]:
    """The first row a query gives."""
    with pipeline.db.transaction() as conn:
        return conn.execute(query.encode(), given).fetchone() or {}


def rows(pipeline: Pipeline, query: str, *given: object) -> list[dict[str, Any]]:
    """Every row a query gives."""
    with pipeline.db.transaction() as conn:
        return conn.execute(query.encode(), given or None).fetchall()


def put_text(pipeline: Pipeline, workspace: UUID, text: str, name: str = "invoice.txt") -> UUID:
    """A text as a person uploads it."""
    arrival = Arrival(workspace, name, "upload")
    return receive(pipeline.db, pipeline.blobs, pipeline.limits, arrival, [text.encode()]).document_id


def work(pipeline: Pipeline, slots: int = 2) -> None:
    """Let a worker do all there is to do."""
    for _ in range(50):
        run_worker(pipeline, WorkerOptions(slots=slots, single_run=True), Stopping())
        if not rows(pipeline, "SELECT FROM jobs"):
            return
