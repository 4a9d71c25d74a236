"""Settlement of jobs taken over from other workers, in small batches with one transaction each."""

from __future__ import annotations

from collections.abc import Callable

import psycopg

from docyard import clock, log, queue
from docyard.db import LOCK_ERRORS, Connection, Database, set_lock_timeout
from docyard.model.jobs import JobFailure, Lease
from docyard.pipeline import step as steps
from docyard.pipeline.attachments import record_failed_extraction
from docyard.store.documents import mark_failed

_LOCK_SECONDS = 0.2  # per job; one that another transaction has locked must not hold up the others
_MAX_SECONDS = 5.0  # the duty's transaction is idle meanwhile, and the server ends it after ten seconds


def recover(db: Database, take_over: Callable[[Connection], list[queue.ReapedJob]]) -> int:
    """Take over and settle jobs until none is left or five seconds have passed; return their number."""
    deadline = clock.monotonic() + _MAX_SECONDS
    count = 0
    while True:
        with db.transaction() as conn:
            set_lock_timeout(conn, _LOCK_SECONDS)
            taken = take_over(conn)
            for one in taken:
                _settle(conn, one)
        for one in taken:
            lease = one.lease
            log.warn("job_recovered", job=lease.job_id, document=lease.document_id, why=one.failure.message)
        count += len(taken)
        if len(taken) < queue.REAP_BATCH_SIZE or clock.monotonic() > deadline:
            return count


def _settle(conn: Connection, one: queue.ReapedJob) -> None:
    """Settle a job as failed; if that raises a database error, make the job a dead letter.

    If the document is locked, the job stays leased to this worker, which returns it without using an attempt.
    """
    try:
        with conn.transaction():
            steps.fail(conn, one.lease, one.failure, one.seconds)
    except LOCK_ERRORS:
        log.warn("reaped_job_locked", job=one.lease.job_id, document=one.lease.document_id)
    except psycopg.Error as error:
        log.fail("reaped_job_not_settled", error, job=one.lease.job_id)
        _make_dead_letter(conn, one.lease, f"The failed job could not be settled: {error}")


def _make_dead_letter(conn: Connection, lease: Lease, why: str) -> None:
    queue.settle(conn, [JobFailure(lease, "internal", why, final=True)])
    try:
        with conn.transaction():
            if lease.type == "document" and lease.document_id is not None:
                # Without a job, the document would keep the status processing indefinitely.
                mark_failed(conn, lease.document_id, 0, category="internal", reason=why)
            else:
                record_failed_extraction(conn, lease)
    except psycopg.Error as error:
        log.fail("document_not_failed", error, document=lease.document_id)
