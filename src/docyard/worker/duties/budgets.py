"""Retry budgets that say nothing any more are dropped."""

from __future__ import annotations

from docyard import queue
from docyard.worker.duties.duty import Chore, Duty


def _drop_idle(chore: Chore) -> str | None:
    dropped = queue.drop_idle_budgets(chore.conn)
    return f"{dropped} idle budgets dropped" if dropped else None


DUTY = Duty("budgets", 3600.0, _drop_idle)
