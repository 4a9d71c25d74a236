"""What keeps the queue healthy: the fleet's duties, each on whichever worker gets it, and this host's own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from uuid import UUID

from docyard import clock, log
from docyard.pipeline.run import Pipeline
from docyard.queue import control
from docyard.worker.duties import DUTIES, Chore, Duty
from docyard.worker.options import WorkerOptions

_SHORTEST_PAUSE = 0.05
_JUST_NOW = 0.01
_ANOTHER_HAS_IT = 1.0
_AFTER_FAILURE = 5.0
_SWEEP_EVERY = 600.0
_LOOKS_PER_LEASE = 6


class Upkeep:
    """Remembers when something may be due, so that an idle worker asks the database once and not per duty."""

    def __init__(
        self,
        pipeline: Pipeline,
        worker_id: UUID,
        options: WorkerOptions,
        look_around: Callable[[], None],
        duties: Sequence[Duty] | None = None,
    ) -> None:
        self._pipeline = pipeline
        self._worker_id = worker_id
        self._options = options
        self._look_around = look_around
        self._duties = DUTIES if duties is None else duties
        self._not_before: dict[str, float] = {}
        self._next_around = 0.0
        self._next_sweep = 0.0
        self._next_duties = 0.0

    def run_due(self) -> float:
        """Do what is due; gives the seconds until there may be something to do again."""
        now = clock.monotonic()
        if now >= self._next_around:
            self._next_around = now + self._options.lease_seconds / _LOOKS_PER_LEASE
            self._look_around()
        if now >= self._next_sweep:
            self._next_sweep = now + _SWEEP_EVERY
            self._sweep()
        if now >= self._next_duties:
            self._next_duties = now + self._run_duties()
        return max(_SHORTEST_PAUSE, min(self._next_around, self._next_duties) - clock.monotonic())

    def _run_duties(self) -> float:
        """Do the duties that are due for the whole fleet; gives the seconds until the next look."""
        with self._pipeline.db.statement() as conn:
            ages, next_in = control.duty_ages(conn)
        pause = self._options.poll_interval
        for duty in self._duties:
            pause = min(pause, self._consider(duty, ages.get(duty.name), next_in))
        return max(_SHORTEST_PAUSE, pause)

    def _consider(self, duty: Duty, age: float | None, next_in: float) -> float:
        """Do a duty if it is due; gives the seconds until it may be due again."""
        period = duty.period(self._options)
        due_in = 0.0 if age is None else period - age
        if duty.on_time and next_in < due_in:
            # Many workers wake for the same job; what one has just done the others need not do again.
            due_in, period = next_in, _JUST_NOW
        held_for = self._not_before.get(duty.name, 0.0) - clock.monotonic()
        if max(due_in, held_for) > 0:
            return max(due_in, held_for)
        if not self._do(duty, period):
            return self._hold(duty, _SHORTEST_PAUSE if duty.on_time else _ANOTHER_HAS_IT)
        return period

    def _do(self, duty: Duty, period: float) -> bool:
        """Do a duty unless another worker is at it or was; a failure is kept, and stops nothing else."""
        began = clock.monotonic()
        try:
            with self._pipeline.db.transaction() as conn:
                if not control.begin_duty(conn, duty.name, period):
                    return False
                said = duty.act(Chore(conn, self._pipeline, self._worker_id, self._options))
                control.end_duty(conn, duty.name, clock.monotonic() - began, said)
        except Exception as error:  # noqa: BLE001 (no duty may stop the others, nor claiming)
            log.fail("duty_failed", error, duty=duty.name)
            self._keep_failure(duty, clock.monotonic() - began, error)
        else:
            if said:
                log.debug("duty_done", duty=duty.name, said=said)
        return True

    def _keep_failure(self, duty: Duty, took: float, error: Exception) -> None:
        self._hold(duty, _AFTER_FAILURE)
        try:
            with self._pipeline.db.transaction() as conn:
                control.fail_duty(conn, duty.name, took, f"{type(error).__name__}: {error}".strip())
        except Exception as second:  # noqa: BLE001 (the log has the first one, and the next try comes anyway)
            log.warn("duty_failure_not_kept", duty=duty.name, error=str(second).strip())

    def _hold(self, duty: Duty, seconds: float) -> float:
        self._not_before[duty.name] = clock.monotonic() + seconds
        return seconds

    def _sweep(self) -> None:
        """Remove what uploads to this host left behind."""
        # Compared with file times, which this host writes.
        abandoned = self._pipeline.blobs.sweep(time.time())
        if abandoned:
            log.event("uploads_swept", abandoned=abandoned)
