"""Helpers that run selected duties and read the table `duties`."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from docyard.db import Database
from docyard.pipeline.run import Pipeline
from docyard.worker import WorkerOptions
from docyard.worker.duties import Duty, DutyContext
from docyard.worker.upkeep import Upkeep

OPTIONS = WorkerOptions(slots=1)


def do_nothing() -> None:
    """Do nothing, in place of the worker's own checks."""


def make_upkeep(pipeline: Pipeline, *duties: Duty, worker_id: UUID | None = None) -> Upkeep:
    """Return the upkeep of a new worker with these duties."""
    return Upkeep(pipeline, worker_id or uuid4(), OPTIONS, do_nothing, duties)


def do(pipeline: Pipeline, duty: Duty, worker_id: UUID | None = None) -> dict[str, Any]:
    """Make a duty due, run it, and return its row."""
    make_due(pipeline.db, duty.name)
    make_upkeep(pipeline, duty, worker_id=worker_id).run_due()
    return load_duty(pipeline.db, duty.name)


def make_due(database: Database, duty: str) -> None:
    """Make a duty due by moving its last start into the past."""
    with database.transaction() as conn:
        conn.execute("UPDATE duties SET began_at = '-infinity' WHERE duty = %s", (duty,))


def load_duty(database: Database, duty: str) -> dict[str, Any]:
    """Return the row of a duty, or an empty dictionary."""
    with database.transaction() as conn:
        return conn.execute("SELECT * FROM duties WHERE duty = %s", (duty,)).fetchone() or {}


class CountingDuty:
    """A duty that counts its runs."""

    def __init__(self, name: str = "count", every: float = 3600.0) -> None:
        self.times = 0
        self.duty = Duty(name, every, self._act)

    def _act(self, context: DutyContext) -> str | None:
        assert context.conn.info.transaction_status.name == "INTRANS"
        self.times += 1
        return f"{self.times} times"
