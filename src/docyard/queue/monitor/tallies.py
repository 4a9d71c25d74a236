"""What happened in the queue, counted exactly and cheaply: claims, settlements, refused results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.monitor", "tallies.sql")
FAILED = ("retried", "dead")  # events of an attempt that failed
FINISHED = ("done", "degraded", "cancelled", "dead")  # events that end a job


@dataclass(frozen=True, slots=True)
class Total:
    """How often one thing happened to the jobs of a tier of a pool, since the beginning."""

    pool: str
    tier: int
    event: str
    category: str
    jobs: int
    fresh: int = 0  # of claims: the first of each job, how long those waited in all, how many too long
    wait_seconds: float = 0.0
    late: int = 0

    @property
    def key(self) -> tuple[str, int, str, str]:
        """What is counted."""
        return (self.pool, self.tier, self.event, self.category)


def fold_tallies(conn: Connection) -> int:
    """Move what was counted into the totals; gives how many rows went, none while another worker folds."""
    row = conn.execute(_SQL["fold_tallies"]).fetchone()
    return int(row["folded"]) if row else 0


def totals(conn: Connection) -> list[Total]:
    """Everything counted so far; the cost follows what was not folded yet, never the backlog."""
    return [Total(**row) for row in conn.execute(_SQL["totals"])]


def gained(now: Sequence[Total], before: Sequence[Total]) -> list[Total]:
    """What was counted between two moments."""
    earlier = {total.key: total for total in before}
    nothing = Total("", 0, "", "", 0)
    return [_minus(total, earlier.get(total.key, nothing)) for total in now]


def _minus(now: Total, before: Total) -> Total:
    return Total(
        *now.key,
        now.jobs - before.jobs,
        now.fresh - before.fresh,
        now.wait_seconds - before.wait_seconds,
        now.late - before.late,
    )
