"""Artificial histories for the tests of the checker."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from tests.chaos.instruments.checker import check
from tests.chaos.instruments.events import Effect, Event, Lane, Row, Snapshot

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
ANN, BEN = UUID(int=901), UUID(int=902)
HOME = UUID(int=800)


def lane(tier: int = 1) -> Lane:
    return Lane("extract", tier, HOME)


class ArtificialHistory:
    """An artificial history of committed transitions, each in its own transaction by default."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.effects: list[Effect] = []
        self.xact = 100
        self._born: dict[int, Event] = {}
        self._now: dict[int, Row] = {}

    def add_transition(
        self, job: int, before: Row | None, after: Row | None, source: str = "jobs", *, together: bool = False
    ) -> None:
        """Add a transition, in the previous transaction if `together`."""
        self.xact += not together
        number = len(self.events) + 1
        seen = Snapshot(self.xact, self.xact) if after is not None and after.state == "running" else None
        born = self._born[job]
        self.events.append(
            replace(born, id=number, at=NOON, xact=self.xact, seen=seen, source=source, before=before, after=after)
        )
        if source == "jobs" and after is not None:
            self._now[job] = after

    def change(self, job: int, *, together: bool = False, **changes: object) -> Row:
        """Add an update of the job's row."""
        before = self._now[job]
        self.add_transition(job, before, replace(before, **changes), together=together)  # type: ignore[arg-type]
        return self._now[job]

    def enqueue(self, job: int, *, tier: int = 1, priority: int = 100, fence: int = 0, max_attempts: int = 3) -> None:
        arrived = NOON + timedelta(seconds=job)
        if job not in self._born:
            self._born[job] = Event(
                0, NOON, 0, "jobs", UUID(int=job), "count", lane(tier), priority, arrived, None, None, max_attempts
            )
        self.add_transition(job, None, Row("pending", fence, 0))

    def claim(self, *jobs: int, worker: UUID = ANN) -> None:
        """Claim these jobs in one statement."""
        for number, job in enumerate(jobs):
            row = self._now[job]
            self.change(
                job, together=number > 0, state="running", fence=row.fence + 1, attempts=row.attempts + 1, worker=worker
            )

    def fail(self, job: int, category: str = "network", *, spent: bool = True, state: str = "pending") -> None:
        row = self._now[job]
        self.change(
            job,
            state=state,
            worker=None,
            attempts=row.attempts - (not spent),
            failures=row.failures + 1,
            category=category,
        )

    def end(self, job: int, outcome: str = "done", *, source: str = "job_history") -> None:
        """Move the row to the history or the dead letters."""
        row = self._now[job]
        self.add_transition(job, row, None)
        self.add_transition(job, None, replace(row, state=outcome), source, together=True)
        if outcome == "done" and row.worker:
            self.effects.append(Effect(UUID(int=job), row.fence, row.worker))

    def die(self, job: int) -> None:
        self.end(job, "dead", source="dead_letters")

    def replay(self, job: int) -> None:
        row = self._now[job]
        self.enqueue(job, fence=row.fence)
        self.add_transition(job, replace(row, state="dead"), None, "dead_letters", together=True)

    def find_violated_rules(self) -> set[str]:
        """Return the violated rules that the checker finds."""
        return check(self.events, self.effects).rules()
