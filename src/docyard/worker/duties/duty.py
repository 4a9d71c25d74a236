"""Duties: periodic tasks that one worker at a time does for the whole fleet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID

from docyard.db import Connection
from docyard.pipeline.run import Pipeline
from docyard.worker.clock_watch import ClockWatch
from docyard.worker.options import WorkerOptions


@dataclass(frozen=True, slots=True)
class DutyContext:
    """The context in which a duty runs; the transaction of `conn` holds the lock of the duty.

    A duty that commits other transactions calls `watch.check` after comparing stored times with the clock.
    """

    conn: Connection
    pipeline: Pipeline
    worker_id: UUID
    options: WorkerOptions
    watch: ClockWatch = field(default_factory=ClockWatch)


@dataclass(frozen=True, slots=True)
class Duty:
    """A duty: its name, its period, and the function that performs it and may return a message for operators.

    The worker claims no jobs while a duty runs, so the function must return within a few seconds and leave
    remaining work for the next run.
    """

    name: str
    period_seconds: float | Callable[[WorkerOptions], float]
    run: Callable[[DutyContext], str | None]
    runs_when_due: bool = False  # also run when a scheduled job is due

    def period(self, options: WorkerOptions) -> float:
        """Return the seconds between two runs, for a worker with these options."""
        return self.period_seconds(options) if callable(self.period_seconds) else self.period_seconds
