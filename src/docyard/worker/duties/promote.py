"""Scheduled jobs whose time has come become pending."""

from __future__ import annotations

from docyard import queue
from docyard.worker.duties.duty import Chore, Duty


def _promote(chore: Chore) -> str | None:
    promoted, _ = queue.promote_due(chore.conn)
    return f"{promoted} scheduled jobs became pending" if promoted else None


# Every look at the duties tells when the next scheduled job is due; the minute is for a look that erred.
DUTY = Duty("promote", 60.0, _promote, on_time=True)
