"""Jobs that test an LLM connection at the request of a user."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from docyard import clock
from docyard.errors import Failure, NotFound
from docyard.inference.llm import check_connection
from docyard.model.connections import LlmConnection
from docyard.model.jobs import Lease
from docyard.pipeline.run import Pipeline
from docyard.store.connections import load_connection, record_test
from docyard.store.key_encryption import DecryptionFailed
from docyard.worker.settlements import JobResult


def run_connection_test(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> JobResult:
    """Send a test message to an LLM and save the result; an error is a result and does not fail the job."""
    del lost  # the test is a single request with a timeout
    connection_id = UUID(str(lease.payload.get("connection")))
    started = clock.monotonic()
    try:
        error = _find_error(pipeline, _open_connection(pipeline, lease, connection_id))
    except NotFound:
        return JobResult()  # the connection was removed meanwhile
    seconds = clock.monotonic() - started
    return JobResult(lambda conn: record_test(conn, connection_id, seconds, error))


def _open_connection(pipeline: Pipeline, lease: Lease, connection_id: UUID) -> LlmConnection | str:
    """Return the connection with its decrypted API key, or the reason why this worker cannot decrypt it."""
    if pipeline.cipher is None:
        return "This worker cannot decrypt the API keys of AI connections: set DOCYARD_SECRET_KEY for it."
    try:
        with pipeline.db.transaction() as conn:
            return load_connection(conn, lease.workspace_id, connection_id, pipeline.cipher)
    except DecryptionFailed as error:
        return str(error)


def _find_error(pipeline: Pipeline, connection: LlmConnection | str) -> str | None:
    if isinstance(connection, str):
        return connection
    try:
        check_connection(connection, pipeline.limits.ai_seconds)
    except Failure as failure:
        return failure.message
    return None
