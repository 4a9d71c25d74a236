"""What a duty is: a task of upkeep that one worker does at a time for the whole fleet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from docyard.db import Connection
from docyard.pipeline.run import Pipeline
from docyard.worker.options import WorkerOptions


@dataclass(frozen=True, slots=True)
class Chore:
    """What a duty works with; `conn` is in the duty's own transaction, which holds its lock."""

    conn: Connection
    pipeline: Pipeline
    worker_id: UUID
    options: WorkerOptions


@dataclass(frozen=True, slots=True)
class Duty:
    """One duty: its name, how often the fleet does it, and the act, which may have something to say.

    Claiming waits while it acts, so an act takes a few seconds at most and leaves the rest for the next time.
    """

    name: str
    every_seconds: float | Callable[[WorkerOptions], float]
    act: Callable[[Chore], str | None]
    on_time: bool = False  # also whenever a scheduled job's time has come

    def period(self, options: WorkerOptions) -> float:
        """The seconds between two times, for a worker with these options."""
        return self.every_seconds(options) if callable(self.every_seconds) else self.every_seconds
