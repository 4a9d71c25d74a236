"""The duty that creates the partitions of the job history for the next days."""

from __future__ import annotations

import psycopg

from docyard import queue
from docyard.worker.duties.duty import Duty, DutyContext


def _create_partitions(chore: DutyContext) -> str | None:
    try:
        with chore.conn.transaction():
            made = queue.ensure_partitions(chore.conn)
    except psycopg.errors.LockNotAvailable:
        # A long reader, such as a backup, holds a lock. Jobs that end meanwhile go to the default partition.
        return "Postponed: another transaction is reading the job history"
    return f"Partitions created: {', '.join(made)}" if made else None


DUTY = Duty("partitions", 600.0, _create_partitions)
