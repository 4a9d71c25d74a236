"""Upkeep for tests: rounds of chosen duties, and what the table of duties says afterwards."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from docyard.db import Database
from docyard.pipeline.run import Pipeline
from docyard.worker import WorkerOptions
from docyard.worker.duties import Chore, Duty
from docyard.worker.upkeep import Upkeep

OPTIONS = WorkerOptions(slots=1)


def nothing() -> None:
    """Nothing is looked after but the duties."""


def keeper(pipeline: Pipeline, *duties: Duty, worker_id: UUID | None = None) -> Upkeep:
    """The upkeep of one more worker, which remembers nothing yet."""
    return Upkeep(pipeline, worker_id or uuid4(), OPTIONS, nothing, duties)


def do(pipeline: Pipeline, duty: Duty, worker_id: UUID | None = None) -> dict[str, Any]:
    """Let a duty be due and be done; gives its row."""
    age(pipeline.db, duty.name)
    keeper(pipeline, duty, worker_id=worker_id).run_due()
    return line(pipeline.db, duty.name)


def age(database: Database, duty: str) -> None:
    """Let a duty have begun long ago."""
    with database.transaction() as conn:
        conn.execute("UPDATE duties SET began_at = '-infinity' WHERE duty = %s", (duty,))


def line(database: Database, duty: str) -> dict[str, Any]:
    """The row of a duty."""
    with database.transaction() as conn:
        return conn.execute("SELECT * FROM duties WHERE duty = %s", (duty,)).fetchone() or {}


class Counted:
    """A duty that only counts how often it is done."""

    def __init__(self, name: str = "count", every: float = 3600.0) -> None:
        self.times = 0
        self.duty = Duty(name, every, self._act)

    def _act(self, chore: Chore) -> str | None:
        assert chore.conn.info.transaction_status.name == "INTRANS"
        self.times += 1
        return f"{self.times} times"
