"""One leased job from its start to its settlement."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg

from docyard import clock, log
from docyard.db import Database
from docyard.errors import Failure, Reject, Retry, Unavailable
from docyard.model.jobs import Lease
from docyard.pipeline import entry
from docyard.pipeline import step as steps
from docyard.pipeline.run import Pipeline, run_document

Handler = Callable[[Pipeline, Lease, Callable[[], bool]], None]
HANDLERS: dict[str, Handler] = {"document": run_document, **entry.HANDLERS}
_PAUSE, _LONGEST_PAUSE = 0.5, 5.0


def execute(pipeline: Pipeline, lease: Lease, lost: threading.Event) -> None:
    """Run a job; whatever happens, it is settled, or its lease is lost and others settle it."""
    began = clock.monotonic()
    failure = _outcome_of(pipeline, lease, lost)
    if failure is not None:
        _settle_failure(pipeline.db, lease, failure, clock.monotonic() - began, lost)
    log.debug("job_ended", job=lease.job_id, type=lease.type, seconds=round(clock.monotonic() - began, 3))


def _outcome_of(pipeline: Pipeline, lease: Lease, lost: threading.Event) -> Failure | None:
    handler = HANDLERS.get(lease.type)
    if handler is None:
        return Reject("unknown_type", f"No handler is registered for jobs of type {lease.type!r}.")
    try:
        handler(pipeline, lease, lost.is_set)
    except Failure as failure:
        return failure
    except Unavailable as error:
        return Retry("database", str(error))
    except Exception as error:  # noqa: BLE001 (a bug in one job must not end the worker)
        log.fail("job_broke", error, job=lease.job_id, type=lease.type)
        return Retry("internal", f"{type(error).__name__}: {error}")
    return None


def _settle_failure(
    db: Database, lease: Lease, failure: Failure, seconds: float, lost: threading.Event
) -> None:
    """Keep trying while the lease lasts: a restarting database must not turn one failure into another."""
    log.event(
        "job_failed",
        job=lease.job_id,
        document=lease.document_id,
        stage=lease.stage,
        category=failure.category,
        message=failure.message,
        attempt=lease.attempts,
    )
    pause = _PAUSE
    while True:
        try:
            with db.transaction() as conn:
                steps.fail(conn, lease, failure, seconds)
        except (Unavailable, psycopg.Error) as error:
            log.warn("failure_not_settled_yet", job=lease.job_id, error=str(error).strip())
        else:
            return
        if lost.wait(pause):
            return
        pause = min(2 * pause, _LONGEST_PAUSE)
