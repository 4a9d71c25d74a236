"""The jobs of the chaos run: how many, of which kinds, in which lanes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from docyard.model.jobs import NewJob
from docyard.model.tiers import Tier

MAIN, LIMITED, HARMFUL, STALLING = "extract", "chunk", "fetch", "classify"
TIERS = [Tier.USER_UPLOAD] * 6 + [Tier.BACKGROUND] * 3 + [Tier.LOW]
# Nobody's fault may use an ordinary job up: only those meant to die do.
_MANY, _FEW = 50, 2
_FIRST = 20
# More than one worker takes at once, so that others wait behind what it gives back.
SLOW, _SLOW_SECONDS = 10, 2.0
DYING = {"exhausting", "poison"}
MENDED_LATER, NEVER_MENDED = "corrupt", "encrypted"


@dataclass(frozen=True, slots=True)
class Size:
    """How big a run is."""

    jobs: int
    nap: float
    slots: int
    storms: int
    # Kept waiting all the time, so that every disaster strikes in the middle of work.
    backlog: int
    limited_rate: float
    patience: float

    def of_kind(self, per_mille: int, *, at_least: int = 1) -> int:
        """So many of a thousand."""
        return max(at_least, self.jobs * per_mille // 1000)


@dataclass(frozen=True, slots=True)
class Placing:
    """Where jobs are put: whose they are, and when they are said to have arrived."""

    workspaces: list[UUID]
    until: datetime
    dice: random.Random

    def arrival(self) -> datetime:
        """Not the order in which they are enqueued, as with jobs that carry on earlier work."""
        return self.until - timedelta(seconds=self.dice.uniform(0, 600))


def mixed_jobs(size: Size, placing: Placing) -> list[NewJob]:
    """Most jobs of the run, in the order in which they are enqueued; those that need time come early."""
    # A stalled job keeps its slot while its next attempt needs another of the same worker.
    early = [*_of(size.slots // 2, "stall", STALLING)]
    early += [*_of(size.storms, "crash", HARMFUL), *_of(1, "poison", HARMFUL)]
    early += [*_of(3, "exhausting", MAIN), *_of(5, "toxic", MAIN, kind=MENDED_LATER)]
    rest = [
        *_of(size.of_kind(20), "flaky", MAIN),
        *_of(size.of_kind(20), "snooze", MAIN),
        *_of(size.of_kind(20), "rate_limited", MAIN),
        *_of(size.of_kind(10), "toxic", MAIN, kind=MENDED_LATER),
        *_of(size.of_kind(5), "toxic", MAIN, kind=NEVER_MENDED),
        *_of(size.of_kind(1), "exhausting", MAIN),
        *_of(size.of_kind(30), "count", LIMITED),
    ]
    rest += _of(size.jobs - len(early) - len(rest) - SLOW * size.storms, "count", MAIN)
    placing.dice.shuffle(rest)
    return [_job(size, kind, number, placing) for number, kind in enumerate([*early, *rest])]


def slow_jobs(workspace: UUID) -> list[NewJob]:
    """Jobs of one lane that outlast any signal."""
    payload = {"nap": _SLOW_SECONDS}
    return [NewJob(workspace, HARMFUL, "count", payload=payload, max_attempts=_MANY) for _ in range(SLOW)]


_Kind = tuple[str, str, dict[str, object]]


def _of(count: int, trade: str, pool: str, **payload: object) -> Iterator[_Kind]:
    for _ in range(count):
        yield trade, pool, payload


def _job(size: Size, kind: _Kind, number: int, placing: Placing) -> NewJob:
    trade, pool, payload = kind
    return NewJob(
        workspace_id=placing.dice.choice(placing.workspaces),
        pool=pool,
        type=trade,
        # In proportion to what is served, so that all tiers have work for as long as possible.
        tier=TIERS[number % len(TIERS)],
        # The first of all come first, so that there is time for what they cause.
        priority=placing.dice.choice([50, 100, 100, 100]) if number >= _FIRST else 0,
        arrived_at=placing.arrival(),
        payload={"nap": size.nap, **payload},
        max_attempts=_FEW if trade in DYING else _MANY,
    )
