"""Exact counts of claims, waits, settlements and refused results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.monitor", "tallies.sql")
FAILURE_EVENTS = ("retried", "dead")  # events of a failed attempt
FINAL_EVENTS = ("done", "degraded", "cancelled", "dead")  # events that end a job


@dataclass(frozen=True, slots=True)
class EventTotal:
    """The number of events of one kind and category in a tier of a pool, since the schema was created."""

    pool: str
    tier: int
    event: str
    category: str
    jobs: int
    fresh: int = 0  # first claims of jobs
    wait_seconds: float = 0.0  # total wait of first claims
    late: int = 0  # first claims that missed the objective

    @property
    def key(self) -> tuple[str, int, str, str]:
        """Pool, tier, event and category."""
        return (self.pool, self.tier, self.event, self.category)


def fold_tallies(conn: Connection) -> int:
    """Move the tallies into the totals; return the number of rows moved, 0 if another worker moves them."""
    row = conn.execute(_SQL["fold_tallies"]).fetchone()
    return int(row["folded"]) if row else 0


def load_totals(conn: Connection) -> list[EventTotal]:
    """Return all counts, folded or not; the cost grows with the unfolded rows, not with the backlog."""
    return [EventTotal(**row) for row in conn.execute(_SQL["load_totals"])]


def subtract_totals(now: Sequence[EventTotal], before: Sequence[EventTotal]) -> list[EventTotal]:
    """Return the difference between the totals at two times."""
    earlier = {total.key: total for total in before}
    zero = EventTotal("", 0, "", "", 0)
    return [_subtract(total, earlier.get(total.key, zero)) for total in now]


def _subtract(now: EventTotal, before: EventTotal) -> EventTotal:
    return EventTotal(
        *now.key,
        now.jobs - before.jobs,
        now.fresh - before.fresh,
        now.wait_seconds - before.wait_seconds,
        now.late - before.late,
    )
