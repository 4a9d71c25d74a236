"""Jobs of lost workers, and those past their deadline, are taken over."""

from __future__ import annotations

from docyard import queue
from docyard.worker.duties.duty import Chore, Duty
from docyard.worker.recovery import recover

_PER_LEASE = 6


def _reap(chore: Chore) -> str | None:
    recovered = recover(chore.pipeline.db, lambda conn: queue.reap(conn, chore.worker_id))
    return f"{recovered} jobs recovered" if recovered else None


DUTY = Duty("reap", lambda options: options.lease_seconds / _PER_LEASE, _reap)
