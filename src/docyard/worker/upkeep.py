"""What keeps the queue healthy; any worker does it, several at once do no harm."""

from __future__ import annotations

from uuid import UUID

from docyard import clock, log, queue
from docyard.db import Database
from docyard.pipeline import step as steps
from docyard.store.people import drop_expired

_DAILY_DUTIES_EVERY = 600.0


class Upkeep:
    """Remembers when each duty was last done."""

    def __init__(self, db: Database, worker_id: UUID, reap_every: float, history_days: int) -> None:
        self._db = db
        self._worker_id = worker_id
        self._reap_every = reap_every
        self._history_days = history_days
        self._next_reap = 0.0
        self._next_daily = 0.0

    def run_due(self) -> float | None:
        """Do what is due; gives the seconds until the next scheduled job, if any."""
        now = clock.monotonic()
        if now >= self._next_reap:
            self._next_reap = now + self._reap_every
            self._reap()
        if now >= self._next_daily:
            self._next_daily = now + _DAILY_DUTIES_EVERY
            self._daily()
        with self._db.transaction() as conn:
            _, next_in = queue.promote_due(conn)
        return next_in

    def _reap(self) -> None:
        """Recover in small batches, each its own transaction, until nothing is stale."""
        while True:
            with self._db.transaction() as conn:
                reaped = queue.reap(conn, self._worker_id)
                for one in reaped:
                    steps.fail(conn, one.lease, one.failure)
                    log.warn(
                        "job_recovered",
                        job=one.lease.job_id,
                        document=one.lease.document_id,
                        why=one.failure.message,
                    )
            if len(reaped) < queue.REAP_BATCH:
                return

    def _daily(self) -> None:
        with self._db.transaction() as conn:
            made = queue.ensure_partitions(conn)
            dropped = queue.prune_history(conn, self._history_days)
            drop_expired(conn)
        if made or dropped:
            log.event("history_kept", made=len(made), dropped=len(dropped))
