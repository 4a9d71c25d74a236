"""The duty that resumes parent jobs that have no children left, and fails those that have waited too long."""

from __future__ import annotations

from docyard import queue
from docyard.db import Connection
from docyard.worker.duties.duty import Duty, DutyContext
from docyard.worker.recovery import recover


def _check_parents(context: DutyContext) -> str | None:
    def take_over(conn: Connection) -> list[queue.ReapedJob]:
        overdue = queue.take_over_overdue_parents(conn, context.worker_id)
        context.watch.check(conn)
        return overdue

    with context.pipeline.db.transaction() as conn:
        woken = queue.wake_orphans(conn)
    overdue = recover(context.pipeline.db, take_over)
    if not woken and not overdue:
        return None
    return f"Parent jobs resumed without children: {woken}; failed after waiting too long: {overdue}"


DUTY = Duty("parents", 10.0, _check_parents)
