"""Jobs that test an LLM connection on request of a user."""

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
from docyard.store.key_encryption import CannotOpen
from docyard.worker.settlements import Finished


def try_connection(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> Finished:
    """Send a test message to an LLM and save the result; an error is shown on its page and fails no job."""
    del lost  # a single request with a timeout
    connection_id = UUID(str(lease.payload.get("connection")))
    started = clock.monotonic()
    try:
        error = _find_error(pipeline, _open_connection(pipeline, lease, connection_id))
    except NotFound:
        return Finished()  # the connection was removed meanwhile
    seconds = clock.monotonic() - started
    return Finished(lambda conn: note_try(conn, connection_id, seconds, error))


def _open_connection(pipeline: Pipeline, lease: Lease, connection_id: UUID) -> LlmConnection | str:
    """Return the connection with its decrypted API key, or the reason why this worker cannot decrypt it."""
    if pipeline.seal is None:
        return "This worker cannot decrypt the API keys of AI connections: set DOCYARD_SECRET_KEY for it."
    try:
        with pipeline.db.transaction() as conn:
            return open_connection(conn, lease.workspace_id, connection_id, pipeline.seal)
    except CannotOpen as error:
        return str(error)


def _find_error(pipeline: Pipeline, connection: LlmConnection | str) -> str | None:
    if isinstance(connection, str):
        return connection
    try:
        greet(connection, pipeline.limits.ai_seconds)
    except Failure as failure:
        return failure.message
    return None
