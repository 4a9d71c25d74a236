"""Asking a connection something at a person's wish, to tell whether it answers as it should."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from docyard import clock
from docyard.errors import Failure, NotFound
from docyard.inference.llm import greet
from docyard.model.connections import LlmConnection
from docyard.model.jobs import Lease
from docyard.pipeline.run import Pipeline
from docyard.store.connections import note_try, open_connection
from docyard.store.sealing import CannotOpen
from docyard.worker.settlements import Finished


def try_connection(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> Finished:
    """Say hello to a model; whatever comes of it is told on its page and is no failure of the job."""
    del lost  # one question, and its time is limited
    connection_id = UUID(str(lease.payload.get("connection")))
    began = clock.monotonic()
    try:
        trouble = _trouble(pipeline, _opened(pipeline, lease, connection_id))
    except NotFound:
        return Finished()  # it was removed meanwhile
    seconds = clock.monotonic() - began
    return Finished(lambda conn: note_try(conn, connection_id, seconds, trouble))


def _opened(pipeline: Pipeline, lease: Lease, connection_id: UUID) -> LlmConnection | str:
    """The connection with its key, or why it cannot be opened here."""
    if pipeline.seal is None:
        return "This worker has no secret to open the keys of connections with."
    try:
        with pipeline.db.transaction() as conn:
            return open_connection(conn, lease.workspace_id, connection_id, pipeline.seal)
    except CannotOpen as error:
        return str(error)


def _trouble(pipeline: Pipeline, opened: LlmConnection | str) -> str | None:
    if isinstance(opened, str):
        return opened
    try:
        greet(opened, pipeline.limits.ai_seconds)
    except Failure as failure:
        return failure.message
    return None
