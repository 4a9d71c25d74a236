"""The duty that creates the partitions of the job history for today and the next days."""

from __future__ import annotations

from docyard import clock, queue
from docyard.errors import Locked
from docyard.worker.duties.duty import Duty, DutyContext

_MAX_SECONDS = 5.0  # the worker claims no jobs meanwhile


def _create_partitions(context: DutyContext) -> str | None:
    db = context.pipeline.db
    try:
        # Each step has its own transaction, because the duty's one would keep the locks on the history.
        with db.transaction() as conn:
            made = queue.ensure_partitions(conn)
        if not _return_rows(context):
            return "Rows of the default partition of the job history are being moved to their partitions"
    except Locked:
        # A long reader, such as a backup, holds a lock. History is saved in the default partition meanwhile.
        return "Postponed: another transaction is reading the job history"
    return f"Partitions created: {', '.join(made)}" if made else None


def _return_rows(context: DutyContext) -> bool:
    """Move rows of a replaced default partition for a few seconds; return whether all are moved."""
    deadline = clock.monotonic() + _MAX_SECONDS
    end: int | None = None
    while end != 0:
        if clock.monotonic() > deadline:
            return False
        with context.pipeline.db.transaction() as conn:
            end = queue.return_detached_rows(conn, end)
    return True


DUTY = Duty("partitions", 600.0, _create_partitions)
