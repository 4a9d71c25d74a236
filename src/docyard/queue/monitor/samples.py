"""Saved samples of the queue; the cost of reading one does not depend on the length of the queue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.queue.monitor.tallies import EventTotal

_SQL = Queries("docyard.queue.monitor", "samples.sql")
_STATES = ("pending", "scheduled", "running", "waiting")
# Upper bounds, in seconds, of the histogram of times from arrival to completion.
HISTOGRAM_BOUNDS = (10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0)


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """Job counts by state in one tier of one pool, and the wait of the oldest unclaimed job in seconds."""

    pool: str
    tier: int
    pending: int
    scheduled: int
    running: int
    waiting: int
    oldest: float | None
    claimable: int = 0  # pending jobs that no pause and no limit of their workspace holds back


@dataclass(frozen=True, slots=True)
class EndedCounts:
    """Counts of documents that ended since one day before the first sample."""

    completed: int = 0
    failed: int = 0
    seconds: float = 0.0  # total time from arrival to completion
    within: tuple[int, ...] = (0,) * len(HISTOGRAM_BOUNDS)  # completed within each bound

    def plus(self, more: EndedCounts, sign: int = 1) -> EndedCounts:
        """Return the sum of both counts, or the difference if `sign` is -1."""
        return EndedCounts(
            self.completed + sign * more.completed,
            self.failed + sign * more.failed,
            self.seconds + sign * more.seconds,
            tuple(a + sign * b for a, b in zip(self.within, more.within, strict=True)),
        )

    def minus(self, before: EndedCounts) -> EndedCounts:
        """Return the counts since `before`."""
        return self.plus(before, -1)


@dataclass(frozen=True, slots=True)
class VacuumBlocker:
    """A transaction or replication slot that keeps vacuum from removing dead rows, and for how long."""

    kind: str
    name: str
    pid: int | None
    seconds: float


@dataclass(frozen=True, slots=True)
class TableRows:
    """The numbers of dead and live rows of a table."""

    name: str
    dead: int
    live: int


@dataclass(frozen=True, slots=True)
class Sample:
    """The counts of one sample, and its age in seconds."""

    taken_at: datetime
    age: float
    facts: Mapping[str, Any]

    @property
    def depth(self) -> list[QueueDepth]:
        """The depth of every tier of every pool that had jobs."""
        return [QueueDepth(**line) for line in self.facts.get("depth", ())]

    @property
    def states(self) -> dict[str, int]:
        """The number of live jobs by state, without states that no job has."""
        counts = {name: sum(getattr(line, name) for line in self.depth) for name in _STATES}
        return {name: count for name, count in counts.items() if count}

    @property
    def ended(self) -> EndedCounts:
        """The counts of documents that ended since one day before the first sample."""
        facts = self.facts.get("ended", {})
        return EndedCounts(**{**facts, "within": tuple(facts.get("within", EndedCounts().within))})

    @property
    def holder(self) -> VacuumBlocker | None:
        """The transaction or slot that has blocked vacuum for the longest time, or None."""
        holder = self.facts.get("holder")
        return VacuumBlocker(**holder) if holder else None

    @property
    def tables(self) -> list[TableRows]:
        """The dead and live rows of the tables that change most."""
        return [TableRows(**line) for line in self.facts.get("tables", ())]

    @property
    def totals(self) -> list[EventTotal]:
        """The totals of the tallies when the sample was taken."""
        return [EventTotal(*line) for line in self.facts.get("totals", ())]

    @property
    def stuck_documents(self) -> list[UUID]:
        """The documents that have been stuck longest."""
        return [UUID(text) for text in self.facts.get("stuck_documents", ())]

    def count(self, name: str) -> int:
        """Return the number of dead letters (`dead`), or of documents that are `stuck`, `troubled` or `recovered`."""
        return int(self.facts.get(name, 0))


def get_latest_sample(conn: Connection) -> Sample | None:
    """Return the newest sample, or None if no sample exists."""
    row = conn.execute(_SQL["get_latest_sample"]).fetchone()
    return Sample(**row) if row else None


def find_samples_since(conn: Connection, ages: Iterable[float]) -> dict[float, Sample]:
    """Return for each age, in seconds, the sample to count from; omit ages before the first sample."""
    rows = conn.execute(_SQL["find_samples_since"], {"ages": list(ages)})
    return {row["wanted_age"]: Sample(row["taken_at"], row["age"], row["facts"]) for row in rows}
