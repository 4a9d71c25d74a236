"""What slows the queue down from outside is said aloud, once per change."""

from __future__ import annotations

from docyard import log
from docyard.db import Connection
from docyard.queue import control, monitor
from docyard.worker.duties.duty import Chore, Duty

NAME = "alarms"


def _look_out(chore: Chore) -> str | None:
    words = _words(chore.conn)
    before = next((line.said for line in control.duty_lines(chore.conn) if line.duty == NAME), None)
    # The words hold no numbers that grow, or every look would be a change.
    if words and words != before:
        log.warn("queue_alarm", said=words)
    elif before and not words:
        log.event("queue_alarm_over", was=before)
    return words


def _words(conn: Connection) -> str | None:
    alarms = [f"dead rows cannot be removed: held back by {holder}" for holder in monitor.held_xmin(conn)]
    _, _, too_many = monitor.dead_rows(conn)
    if too_many:
        alarms.append("the table jobs holds far more dead rows than live ones: see docyard doctor")
    return "; ".join(alarms) or None


DUTY = Duty(NAME, 60.0, _look_out)
