"""The queue is counted for all who look, so that no look of theirs costs more with a longer queue."""

from __future__ import annotations

from docyard.queue import monitor
from docyard.worker.duties.duty import Chore, Duty

_REST = 20  # at most one part in so many of the time is spent on counting


def _sample(chore: Chore) -> str | None:
    last = monitor.latest_sample(chore.conn)
    if last is not None and last.age < _REST * last.facts.get("seconds", 0.0):
        return "put off: counting takes long"
    monitor.take_sample(chore.conn)
    return None


DUTY = Duty("sample", 15.0, _sample)
