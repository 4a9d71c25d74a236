"""Settling what was taken over from others, in small batches, each its own transaction."""

from __future__ import annotations

from collections.abc import Callable

import psycopg

from docyard import clock, log, queue
from docyard.db import Connection, Database
from docyard.model.jobs import Failed, Lease
from docyard.pipeline import step as steps
from docyard.store.documents import mark_failed

_LONGEST_SECONDS = 5.0  # the lock of a duty is held meanwhile, in a transaction that is cut when idle for ten


def recover(db: Database, take_over: Callable[[Connection], list[queue.Reaped]]) -> int:
    """Take over and settle until nothing is left, or the time is up; gives how many there were."""
    until = clock.monotonic() + _LONGEST_SECONDS
    count = 0
    while True:
        with db.transaction() as conn:
            taken = take_over(conn)
            for one in taken:
                _settle(conn, one)
        for one in taken:
            lease = one.lease
            log.warn("job_recovered", job=lease.job_id, document=lease.document_id, why=one.failure.message)
        count += len(taken)
        if len(taken) < queue.REAP_BATCH or clock.monotonic() > until:
            return count


def _settle(conn: Connection, one: queue.Reaped) -> None:
    """Settle a job; one that cannot be settled as usual becomes a dead letter and sinks no other."""
    try:
        with conn.transaction():
            steps.fail(conn, one.lease, one.failure, one.seconds)
    except psycopg.Error as error:
        log.fail("reaped_job_broke", error, job=one.lease.job_id)
        _give_up(conn, one.lease, f"Could not be settled: {error}")


def _give_up(conn: Connection, lease: Lease, why: str) -> None:
    queue.settle(conn, [Failed(lease, "internal", why, final=True)])
    if lease.type != "document" or lease.document_id is None:
        return
    try:
        with conn.transaction():
            # Without a job it would seem to be processed for ever.
            mark_failed(conn, lease.document_id, 0, category="internal", reason=why)
    except psycopg.Error as error:
        log.fail("document_not_failed", error, document=lease.document_id)
