"""The duty that reports database conditions that slow down the queue; each change is logged once."""

from __future__ import annotations

from docyard import log
from docyard.db import Connection
from docyard.queue import control, monitor
from docyard.worker.duties.duty import Duty, DutyContext

NAME = "alarms"


def _check(context: DutyContext) -> str | None:
    message = _describe_alarms(context.conn)
    previous = next((line.said for line in control.list_duties(context.conn) if line.duty == NAME), None)
    # The message must not contain changing numbers, or every check would be logged as a change.
    if message and message != previous:
        log.warn("queue_alarm", said=message)
    elif previous and not message:
        log.event("queue_alarm_over", was=previous)
    return message


def _describe_alarms(conn: Connection) -> str | None:
    alarms = [
        f"Vacuum cannot remove dead rows because of {holder}: end it"
        for holder in monitor.describe_vacuum_blockers(conn)
    ]
    _, _, too_many = monitor.count_dead_rows(conn)
    if too_many:
        alarms.append("The table jobs has far more dead rows than live ones: run docyard doctor")
    return "; ".join(alarms) or None


DUTY = Duty(NAME, 10.0, _check)
