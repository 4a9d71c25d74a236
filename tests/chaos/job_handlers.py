"""Handlers of the jobs of the chaos run: they succeed, fail, wait, stall or kill their worker."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from datetime import UTC, datetime

from docyard import queue
from docyard.db import Connection
from docyard.errors import Reject, Retry, Wait
from docyard.model.jobs import Completion, Lease
from docyard.pipeline.run import Pipeline
from docyard.worker.execution import Handler
from docyard.worker.settlements import JobResult

_SNOOZE_SECONDS = 0.3
_POLL_SECONDS = 0.1


def _finish(lease: Lease) -> JobResult:
    """Return a result for the worker to settle; its effect is recorded only if the lease is still valid."""
    return JobResult(lambda conn: _record_effect(conn, lease))


def _record_effect(conn: Connection, lease: Lease) -> None:
    conn.execute(
        "INSERT INTO chaos_effects (job, fence, worker, own_clock) VALUES (%s, %s, %s, %s)",
        (lease.job_id, lease.fence, lease.worker_id, datetime.now(UTC)),
    )


def _count(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> JobResult:
    time.sleep(float(str(lease.payload.get("nap", 0))))
    return _finish(lease)


def _flaky(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> JobResult:
    if lease.attempts == 1:
        raise Retry("crash", "It fails the first time.")
    return _finish(lease)


def _snooze(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> JobResult:
    if lease.fence == 1:
        raise Wait("ai_quota", "Not now.", seconds=_SNOOZE_SECONDS)
    return _finish(lease)


def _rate_limited(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> JobResult:
    if lease.fence == 1:
        raise Wait("rate_limit", "Too many at once.", seconds=_SNOOZE_SECONDS)
    return _finish(lease)


def _toxic(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> JobResult:
    kind = str(lease.payload["kind"])
    with pipeline.db.transaction() as conn:
        mended = conn.execute("SELECT FROM chaos_mended WHERE kind = %s", (kind,)).fetchone()
    if mended is None:
        raise Reject(kind, f"Job {lease.job_id} cannot be read.")
    return _finish(lease)


def _exhausting(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> None:
    raise Retry("out_of_memory", "It fails every time.")


def _crash(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> JobResult:
    if lease.attempts == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return _finish(lease)


def _poison(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _settle(pipeline: Pipeline, lease: Lease) -> bool:
    """Settle a job in the handler, and return whether the result was accepted."""
    with pipeline.db.transaction() as conn:
        accepted = lease.job_id in queue.settle(conn, [Completion(lease)])
        if accepted:
            _record_effect(conn, lease)
        else:
            queue.count_rejected(conn, [lease])
    return accepted


def _stall(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> None:
    """Report the result of the first attempt late, during the second attempt; it must be refused."""
    if lease.attempts > 1:
        _wait_until(pipeline, lease, "SELECT FROM chaos_late WHERE job = %(job)s", lost, patience=1.0)
        _settle(pipeline, lease)
        return
    claimed_again = "SELECT FROM jobs WHERE id = %(job)s AND fence >= %(fence)s + 2"
    _wait_until(pipeline, lease, claimed_again, lost, patience=30.0)
    accepted = _settle(pipeline, lease)
    with pipeline.db.transaction() as conn:
        conn.execute("INSERT INTO chaos_late VALUES (%s, %s, %s)", (lease.job_id, lease.fence, accepted))


def _wait_until(pipeline: Pipeline, lease: Lease, query: str, lost: Callable[[], bool], *, patience: float) -> None:
    until = time.monotonic() + patience
    params = {"job": lease.job_id, "fence": lease.fence}
    while time.monotonic() < until and not lost():
        with pipeline.db.transaction() as conn:
            if conn.execute(query.encode(), params).fetchone() is not None:
                return
        time.sleep(_POLL_SECONDS)


CHAOS_HANDLERS: dict[str, Handler] = {
    "count": _count,
    "flaky": _flaky,
    "snooze": _snooze,
    "rate_limited": _rate_limited,
    "toxic": _toxic,
    "exhausting": _exhausting,
    "crash": _crash,
    "poison": _poison,
    "stall": _stall,
}
