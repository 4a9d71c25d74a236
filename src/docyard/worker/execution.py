"""Execution of one leased job by the handler of its type."""

from __future__ import annotations

import threading
from collections.abc import Callable

from docyard import clock, log
from docyard.errors import Failure, Locked, Reject, Retry, StorageFull, StoreUnavailable, Unavailable, Wait
from docyard.model.connections import TEST_JOB_TYPE
from docyard.model.jobs import Lease
from docyard.pipeline import embedding, extraction_jobs
from docyard.pipeline.attachments import RECEIVE_CHILD
from docyard.pipeline.run import Pipeline, run_document
from docyard.store.blobs import explain_full_disk
from docyard.worker.attachment_jobs import receive_child
from docyard.worker.connection_test import run_connection_test
from docyard.worker.settlements import JobResult, Settlement

_STORAGE_PAUSE = 3.0  # seconds until a job that found no file store, or a full disk, is tried again
# The database cannot be reached: the job waits, and after this time in total it uses attempts, because the job
# itself may be the cause.
_WAIT_SECONDS, _LONGEST_WAIT = 10.0, 300.0

# A handler that returns None has settled its job itself, as run_document does after each stage.
Handler = Callable[[Pipeline, Lease, Callable[[], bool]], JobResult | None]
HANDLERS: dict[str, Handler] = {
    "document": run_document,
    RECEIVE_CHILD: receive_child,
    TEST_JOB_TYPE: run_connection_test,
    **extraction_jobs.HANDLERS,
    **embedding.HANDLERS,
}


def execute(pipeline: Pipeline, lease: Lease, lost: threading.Event) -> Settlement | None:
    """Run a job and return its settlement, or None if its handler has settled it already.

    Raises Locked if another transaction has locked rows that the job must change.
    """
    started = clock.monotonic()
    result = _run_handler(pipeline, lease, lost)
    seconds = clock.monotonic() - started
    log.debug("job_ended", job=lease.job_id, type=lease.type, seconds=round(seconds, 3))
    if isinstance(result, Failure):
        _log_failure(lease, result)
        return Settlement(lease, failure=result, seconds=seconds)
    return Settlement(lease, finished=result, seconds=seconds) if result else None


def _run_handler(pipeline: Pipeline, lease: Lease, lost: threading.Event) -> JobResult | Failure | None:
    handler = HANDLERS.get(lease.type)
    if handler is None:
        return Reject("unknown_type", f"No handler is registered for jobs of type {lease.type!r}.")
    try:
        with explain_full_disk():
            return handler(pipeline, lease, lost.is_set)
    except Failure as failure:
        return failure
    except Locked:
        raise
    except Unavailable as error:
        return _make_wait(error)
    except Exception as error:  # noqa: BLE001 (a bug in one job must not end the worker)
        log.fail("job_raised_error", error, job=lease.job_id, type=lease.type)
        return Retry("internal", f"{type(error).__name__}: {error}")


def _make_wait(error: Unavailable) -> Wait:
    if isinstance(error, (StorageFull, StoreUnavailable)):
        return Wait("storage", str(error), _STORAGE_PAUSE)
    return Wait("database", str(error), _WAIT_SECONDS, _LONGEST_WAIT)


def _log_failure(lease: Lease, failure: Failure) -> None:
    log.event(
        "job_failed",
        job=lease.job_id,
        document=lease.document_id,
        stage=lease.stage,
        category=failure.category,
        message=failure.message,
        attempt=lease.attempts,
    )
