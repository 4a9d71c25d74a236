"""The duty that takes over jobs of lost workers and jobs past their deadline."""

from __future__ import annotations

from docyard import queue
from docyard.db import Connection
from docyard.worker.duties.duty import Duty, DutyContext
from docyard.worker.recovery import recover

_RUNS_PER_LEASE = 6


def _reap(context: DutyContext) -> str | None:
    def take_over(conn: Connection) -> list[queue.ReapedJob]:
        reaped = queue.reap(conn, context.worker_id)
        context.watch.check(conn)
        return reaped

    recovered = recover(context.pipeline.db, take_over)
    return f"Jobs taken over from lost workers or after their deadline: {recovered}" if recovered else None


DUTY = Duty("reap", lambda options: options.lease_seconds / _RUNS_PER_LEASE, _reap)
