"""What keeps the queue healthy; any worker does it, several at once do no harm."""

from __future__ import annotations

import time
from collections.abc import Callable
from uuid import UUID

import psycopg

from docyard import clock, log, queue
from docyard.db import Connection
from docyard.model.jobs import Failed
from docyard.pipeline import step as steps
from docyard.pipeline.run import Pipeline
from docyard.store.people import drop_expired
from docyard.worker.options import WorkerOptions

_DAILY_DUTIES_EVERY = 600.0
_LATER = 60.0
_FORGET_WORKERS_AFTER_DAYS = 7
_SHORTEST_PAUSE = 0.05
_REAPS_PER_LEASE = 6


class Upkeep:
    """Remembers when each duty is due."""

    def __init__(
        self, pipeline: Pipeline, worker_id: UUID, options: WorkerOptions, return_strays: Callable[[], None]
    ) -> None:
        self._return_strays = return_strays
        self._pipeline = pipeline
        self._worker_id = worker_id
        self._options = options
        self._next_reap = 0.0
        self._next_daily = 0.0
        self._next_promotion = 0.0

    def run_due(self) -> float:
        """Do what is due; gives the seconds until there may be something to do again."""
        now = clock.monotonic()
        if now >= self._next_reap:
            self._next_reap = now + self._options.lease_seconds / _REAPS_PER_LEASE
            self._return_strays()
            self._reap()
        if now >= self._next_daily:
            self._next_daily = now + _DAILY_DUTIES_EVERY
            self._daily_or_later()
        if now >= self._next_promotion:
            self._next_promotion = now + self._promote()
        return max(_SHORTEST_PAUSE, min(self._next_reap, self._next_promotion) - clock.monotonic())

    def _promote(self) -> float:
        """Make scheduled jobs pending whose time has come; gives the seconds until the next look."""
        with self._pipeline.db.transaction() as conn:
            _, next_in = queue.promote_due(conn)
        poll = self._options.poll_interval
        return poll if next_in is None else max(_SHORTEST_PAUSE, min(next_in, poll))

    def _reap(self) -> None:
        """Recover in small batches, each its own transaction, until nothing is stale."""
        while True:
            with self._pipeline.db.transaction() as conn:
                reaped = queue.reap(conn, self._worker_id)
                for one in reaped:
                    _settle(conn, one)
            for one in reaped:
                log.warn(
                    "job_recovered",
                    job=one.lease.job_id,
                    document=one.lease.document_id,
                    why=one.failure.message,
                )
            if len(reaped) < queue.REAP_BATCH:
                return

    def _daily_or_later(self) -> None:
        try:
            self._daily()
        except psycopg.errors.LockNotAvailable:
            # A backup reads the history; the default partition catches what is finished meanwhile.
            log.event("upkeep_put_off", seconds=_LATER)
            self._next_daily = clock.monotonic() + _LATER

    def _daily(self) -> None:
        with self._pipeline.db.transaction() as conn:
            made = queue.ensure_partitions(conn)
        with self._pipeline.db.transaction() as conn:
            dropped = queue.prune_history(conn, self._options.history_days)
            queue.forget_workers(conn, _FORGET_WORKERS_AFTER_DAYS)
            drop_expired(conn)
        abandoned = self._pipeline.blobs.sweep(
            time.time()
        )  # compared with file times, which this host writes
        if made or dropped or abandoned:
            log.event("upkeep_done", partitions=len(made), pruned=len(dropped), abandoned_uploads=abandoned)


def _settle(conn: Connection, one: queue.Reaped) -> None:
    """Settle a reaped job; one that cannot be settled as usual becomes a dead letter and sinks no other."""
    try:
        with conn.transaction():
            steps.fail(conn, one.lease, one.failure, one.seconds)
    except psycopg.Error as error:
        log.fail("reaped_job_broke", error, job=one.lease.job_id)
        queue.settle(conn, [Failed(one.lease, "internal", f"Could not be settled: {error}", final=True)])
