"""Upkeep: the duties of the fleet, each done by one worker at a time, and this worker's own tasks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from uuid import UUID

from docyard import clock, log
from docyard.errors import Locked, Unavailable
from docyard.pipeline.run import Pipeline
from docyard.queue import control
from docyard.worker.clock_watch import ClockStepped, ClockWatch
from docyard.worker.duties import DUTIES, Duty, DutyContext
from docyard.worker.options import WorkerOptions

_CHECKS_PER_LEASE = 6
# Seconds:
_MIN_PAUSE = 0.05
_MIN_PERIOD = 0.01  # for a duty that runs because a scheduled job is due
_RETRY_IF_LOCKED = 1.0
_RETRY_AFTER_FAILURE = 5.0
_SWEEP_PERIOD = 600.0


class Upkeep:
    """The upkeep done by one worker; it caches when the next task may be due, to save queries."""

    def __init__(
        self,
        pipeline: Pipeline,
        worker_id: UUID,
        options: WorkerOptions,
        check_worker: Callable[[], None],
        duties: Sequence[Duty] | None = None,
        watch: ClockWatch | None = None,
    ) -> None:
        self._pipeline = pipeline
        self._worker_id = worker_id
        self._options = options
        self._check_worker = check_worker
        self._duties = DUTIES if duties is None else duties
        self._watch = watch or ClockWatch()
        self._earliest: dict[str, float] = {}
        self._sweep: threading.Thread | None = None
        self._next_check = 0.0
        self._next_sweep = 0.0
        self._next_duties = 0.0

    def run_due(self) -> float:
        """Run the tasks that are due; return the seconds until the next one may be due."""
        now = clock.monotonic()
        if now >= self._next_check:
            self._next_check = now + self._options.lease_seconds / _CHECKS_PER_LEASE
            self._check_worker()
        if now >= self._next_sweep:
            self._next_sweep = now + _SWEEP_PERIOD
            self._start_sweep()
        if now >= self._next_duties:
            self._next_duties = now + self._run_duties()
        return max(_MIN_PAUSE, min(self._next_check, self._next_duties) - clock.monotonic())

    def _run_duties(self) -> float:
        """Run the duties that are due for the whole fleet; return the seconds until the next check."""
        # Duties compare stored times with the database's clock, so a step of it must be handled first.
        try:
            if not self._watch.follow(self._pipeline.db, self._worker_id):
                return _MIN_PAUSE
        except Locked:
            # Only duties wait; claims go on. The holder of the lock is reported as a blocker.
            log.warn("duties_postponed", why="another transaction has locked what the check of the clock needs")
            return _RETRY_IF_LOCKED
        with self._pipeline.db.statement() as conn:
            ages, next_in = control.get_duty_ages(conn)
        pause = _MIN_PAUSE if self._watch.is_shifting else self._options.poll_interval
        for duty in self._duties:
            pause = min(pause, self._run_if_due(duty, ages.get(duty.name), next_in))
        return max(_MIN_PAUSE, pause)

    def _run_if_due(self, duty: Duty, age: float | None, next_in: float) -> float:
        """Run a duty if it is due; return the seconds until it may be due again."""
        period = duty.period(self._options)
        # A duty that began in the future ran before the clock was set back.
        due_in = 0.0 if age is None or age < 0 else period - age
        if duty.runs_when_due and next_in < due_in:
            # Many workers wake up for the same job; if one has just run the duty, the others must skip it.
            due_in, period = next_in, _MIN_PERIOD
        deferred_for = self._earliest.get(duty.name, 0.0) - clock.monotonic()
        if max(due_in, deferred_for) > 0:
            return max(due_in, deferred_for)
        if not self._run(duty, period):
            return self._defer(duty, _MIN_PAUSE if duty.runs_when_due else _RETRY_IF_LOCKED)
        return period

    def _run(self, duty: Duty, period: float) -> bool:
        """Run a duty and save its error, if any; return False if a worker is running it or ran it within the period."""
        started = clock.monotonic()
        try:
            with self._pipeline.db.transaction() as conn:
                if not control.begin_duty(conn, duty.name, period):
                    return False
                message = duty.run(DutyContext(conn, self._pipeline, self._worker_id, self._options, self._watch))
                control.end_duty(conn, duty.name, clock.monotonic() - started, message)
                self._watch.check(conn)
        except ClockStepped:
            return True  # rolled back; it is due again after the step was handled
        except Locked:
            # Not a failure: the duty is due again at once. The holder of the lock is reported as a blocker.
            log.warn("duty_postponed", duty=duty.name, why="another transaction has locked what it needs")
            self._defer(duty, _RETRY_AFTER_FAILURE)
        except Unavailable as error:  # a lost connection or a timeout is no defect of the duty
            log.warn("duty_failed", duty=duty.name, error=str(error))
            self._save_failure(duty, clock.monotonic() - started, error)
        except Exception as error:  # noqa: BLE001 (an error in a duty must not stop other duties or claiming)
            log.fail("duty_failed", error, duty=duty.name)
            self._save_failure(duty, clock.monotonic() - started, error)
        else:
            if message:
                log.debug("duty_done", duty=duty.name, message=message)
        return True

    def _save_failure(self, duty: Duty, took: float, error: Exception) -> None:
        self._defer(duty, _RETRY_AFTER_FAILURE)
        try:
            with self._pipeline.db.transaction() as conn:
                control.fail_duty(conn, duty.name, took, f"{type(error).__name__}: {error}".strip())
        except Exception as second:  # noqa: BLE001 (the first error is in the log, and the duty is retried)
            log.warn("duty_failure_not_saved", duty=duty.name, error=str(second).strip())

    def _defer(self, duty: Duty, seconds: float) -> float:
        self._earliest[duty.name] = clock.monotonic() + seconds
        return seconds

    def _start_sweep(self) -> None:
        """Start the deletion of abandoned uploads, unless the previous one is still running."""
        # In a thread of its own, because a file store whose server is gone may hang for ever.
        if self._sweep is None or not self._sweep.is_alive():
            self._sweep = threading.Thread(target=self._delete_abandoned_uploads, name="upload-sweep", daemon=True)
            self._sweep.start()

    def _delete_abandoned_uploads(self) -> None:
        """Delete the files of abandoned uploads from the blob folder."""
        try:
            # The time is compared with modification times of files, so it must come from this host's clock.
            abandoned = self._pipeline.blobs.delete_abandoned(time.time())
        except Unavailable as error:
            log.warn("uploads_not_swept", error=str(error))
            return
        if abandoned:
            log.event("uploads_swept", abandoned=abandoned)
