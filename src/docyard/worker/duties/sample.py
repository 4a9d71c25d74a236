"""The duty that counts the queue, so that pages and metrics stay fast regardless of its length."""

from __future__ import annotations

from docyard.queue import monitor
from docyard.worker.duties.duty import Duty, DutyContext

_MIN_REST = 20  # pause before the next sample, in multiples of the time that the last one took


def _sample(context: DutyContext) -> str | None:
    last = monitor.get_latest_sample(context.conn)
    # A sample in the future was taken before the clock was set back.
    if last is not None and 0 <= last.age < _MIN_REST * last.facts.get("seconds", 0.0):
        return "Postponed: counting the queue takes a long time"
    monitor.take_sample(context.conn)
    return None


DUTY = Duty("sample", 15.0, _sample)
