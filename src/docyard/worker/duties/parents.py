"""The duty that resumes parent jobs that have no children left, and fails those that have waited too long."""

from __future__ import annotations

from docyard import queue
from docyard.worker.duties.duty import Duty, DutyContext
from docyard.worker.recovery import recover


def _check_parents(context: DutyContext) -> str | None:
    with context.pipeline.db.transaction() as conn:
        woken = queue.wake_orphans(conn)
    overdue = recover(context.pipeline.db, lambda conn: queue.take_over_overdue_parents(conn, context.worker_id))
    if not woken and not overdue:
        return None
    return f"Parent jobs resumed without children: {woken}; failed after waiting too long: {overdue}"


DUTY = Duty("parents", 10.0, _check_parents)
