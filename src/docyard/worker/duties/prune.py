"""The duty that deletes old data: job history, samples, ended workers, expired sessions and links."""

from __future__ import annotations

import psycopg

from docyard import queue
from docyard.queue import control, monitor
from docyard.store.users import drop_expired
from docyard.worker.duties.duty import Duty, DutyContext

_WORKER_RETENTION_DAYS = 7


def _prune(context: DutyContext) -> str | None:
    if control.is_ahead(context.conn):
        # The history is not shifted. If the clock was set forward by mistake, all of it would seem to be old.
        return "Postponed for a day: the database's clock was set forward"
    queue.delete_old_workers(context.conn, _WORKER_RETENTION_DAYS)
    drop_expired(context.conn)
    monitor.prune_samples(context.conn)
    control.prune_steps(context.conn)
    try:
        with context.conn.transaction():
            dropped = queue.prune_history(context.conn, context.options.history_days)
    except psycopg.errors.LockNotAvailable:
        return "Pruning of the job history postponed: another transaction is reading it"
    return f"Partitions dropped: {', '.join(dropped)}" if dropped else None


DUTY = Duty("prune", 600.0, _prune)
