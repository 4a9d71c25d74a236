"""The queue as it was counted at one moment; reading a sample costs the same however long the queue is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.queue.monitor.tallies import Total

_SQL = Queries("docyard.queue.monitor", "samples.sql")
_STATES = ("pending", "scheduled", "running", "waiting")
# Upper bounds, in seconds, by which the way from arrival to completion is counted.
BOUNDS = (10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0)


@dataclass(frozen=True, slots=True)
class Depth:
    """What waits and runs in one tier of one pool."""

    pool: str
    tier: int
    pending: int
    scheduled: int
    running: int
    waiting: int
    oldest: float | None


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of documents, counted since the first sample."""

    completed: int = 0
    failed: int = 0
    troubled: int = 0  # had a failed attempt
    recovered: int = 0  # of those: completed with nothing left out
    seconds: float = 0.0  # from arrival to completion, summed
    within: tuple[int, ...] = (0,) * len(BOUNDS)  # completed within each bound

    def plus(self, more: Ended, sign: int = 1) -> Ended:
        """Both together."""
        return Ended(
            self.completed + sign * more.completed,
            self.failed + sign * more.failed,
            self.troubled + sign * more.troubled,
            self.recovered + sign * more.recovered,
            self.seconds + sign * more.seconds,
            tuple(a + sign * b for a, b in zip(self.within, more.within, strict=True)),
        )

    def minus(self, before: Ended) -> Ended:
        """What came after that."""
        return self.plus(before, -1)


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has kept dead rows from being removed for longest."""

    kind: str
    name: str
    pid: int | None
    seconds: float


@dataclass(frozen=True, slots=True)
class TableLoad:
    """Dead rows of a table, beside the live ones."""

    name: str
    dead: int
    live: int


@dataclass(frozen=True, slots=True)
class Sample:
    """What one worker counted."""

    taken_at: datetime
    age: float
    facts: Mapping[str, Any]

    @property
    def depth(self) -> list[Depth]:
        """Every tier of every pool that had jobs."""
        return [Depth(**line) for line in self.facts.get("depth", ())]

    @property
    def states(self) -> dict[str, int]:
        """How many live jobs are in each state that any is in."""
        counts = {name: sum(getattr(line, name) for line in self.depth) for name in _STATES}
        return {name: count for name, count in counts.items() if count}

    @property
    def ended(self) -> Ended:
        """Documents that ended, since the first sample."""
        facts = self.facts.get("ended", {})
        return Ended(**{**facts, "within": tuple(facts.get("within", Ended().within))})

    @property
    def holder(self) -> Holder | None:
        """Who held dead rows longest, if anybody did."""
        held = self.facts.get("holder")
        return Holder(**held) if held else None

    @property
    def tables(self) -> list[TableLoad]:
        """Dead rows of the tables that change most."""
        return [TableLoad(**line) for line in self.facts.get("tables", ())]

    @property
    def totals(self) -> list[Total]:
        """What the tallies had come to."""
        return [Total(*line) for line in self.facts.get("totals", ())]

    @property
    def stuck_documents(self) -> list[UUID]:
        """The documents that have been stuck longest."""
        return [UUID(text) for text in self.facts.get("stuck_documents", ())]

    def count(self, name: str) -> int:
        """A plain number: `dead` or `stuck`."""
        return int(self.facts.get(name, 0))


def latest_sample(conn: Connection) -> Sample | None:
    """The newest sample, if a worker has taken one."""
    row = conn.execute(_SQL["latest_sample"]).fetchone()
    return Sample(**row) if row else None


def samples_since(conn: Connection, ages: Iterable[float]) -> dict[float, Sample]:
    """For each age in seconds the sample to count from; none where everything ever counted is younger."""
    rows = conn.execute(_SQL["samples_since"], {"ages": list(ages)})
    return {row["asked"]: Sample(row["taken_at"], row["age"], row["facts"]) for row in rows}
