"""Parents whose children are gone go on; those that have waited too long fail."""

from __future__ import annotations

from docyard import queue
from docyard.worker.duties.duty import Chore, Duty
from docyard.worker.recovery import recover


def _look_after_parents(chore: Chore) -> str | None:
    with chore.pipeline.db.transaction() as conn:
        woken = queue.wake_orphans(conn)
    overdue = recover(chore.pipeline.db, lambda conn: queue.overdue_parents(conn, chore.worker_id))
    return f"{woken} went on without children, {overdue} waited too long" if woken or overdue else None


DUTY = Duty("parents", 10.0, _look_after_parents)
