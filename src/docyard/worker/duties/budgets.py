"""The duty that deletes retry budgets with default settings whose period is over."""

from __future__ import annotations

from docyard.queue import control
from docyard.worker.duties.duty import Duty, DutyContext


def _drop_idle(context: DutyContext) -> str | None:
    dropped = control.drop_idle_budgets(context.conn)
    return f"Unused retry budgets deleted: {dropped}" if dropped else None


DUTY = Duty("budgets", 3600.0, _drop_idle)
