"""The duty that adds the tallies of claims and settlements to the totals."""

from __future__ import annotations

from docyard.queue import monitor
from docyard.worker.duties.duty import Duty, DutyContext


def _fold(context: DutyContext) -> str | None:
    monitor.fold_tallies(context.conn)
    return None


DUTY = Duty("tallies", 5.0, _fold)
