"""The history's partitions of the next days are made ahead."""

from __future__ import annotations

import psycopg

from docyard import queue
from docyard.worker.duties.duty import Chore, Duty


def _make_partitions(chore: Chore) -> str | None:
    try:
        with chore.conn.transaction():
            made = queue.ensure_partitions(chore.conn)
    except psycopg.errors.LockNotAvailable:
        # A backup reads the history; the default partition catches what is finished meanwhile.
        return "put off: somebody reads the history"
    return f"made {', '.join(made)}" if made else None


DUTY = Duty("partitions", 600.0, _make_partitions)
