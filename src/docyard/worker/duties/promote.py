"""The duty that makes scheduled jobs pending when they are due."""

from __future__ import annotations

from docyard import queue
from docyard.worker.duties.duty import Duty, DutyContext


def _promote(context: DutyContext) -> str | None:
    promoted, _ = queue.promote_due(context.conn)
    return f"Scheduled jobs that became pending: {promoted}" if promoted else None


# Runs when the next scheduled job is due; the period of a minute is a fallback.
DUTY = Duty("promote", 60.0, _promote, runs_when_due=True)
