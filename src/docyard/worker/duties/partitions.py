"""The duty that creates the partitions of the job history for today and the next days."""

from __future__ import annotations

import psycopg

from docyard import queue
from docyard.worker.duties.duty import Duty, DutyContext


def _create_partitions(context: DutyContext) -> str | None:
    try:
        with context.conn.transaction():
            made = queue.ensure_partitions(context.conn)
    except psycopg.errors.LockNotAvailable:
        # A long reader, such as a backup, holds a lock. History is saved in the default partition meanwhile.
        return "Postponed: another transaction is reading the job history"
    return f"Partitions created: {', '.join(made)}" if made else None


DUTY = Duty("partitions", 600.0, _create_partitions)
