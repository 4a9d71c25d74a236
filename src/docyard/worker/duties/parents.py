"""The duty that resumes parent jobs without children, and fails parent jobs that have waited too long."""

from __future__ import annotations

from docyard import queue
from docyard.worker.duties.duty import Duty, DutyContext
from docyard.worker.recovery import recover


def _check_parents(chore: DutyContext) -> str | None:
    with chore.pipeline.db.transaction() as conn:
        woken = queue.wake_orphans(conn)
    overdue = recover(chore.pipeline.db, lambda conn: queue.take_over_overdue_parents(conn, chore.worker_id))
    if not woken and not overdue:
        return None
    return f"Parent jobs resumed without children: {woken}; failed after waiting too long: {overdue}"


DUTY = Duty("parents", 10.0, _check_parents)
