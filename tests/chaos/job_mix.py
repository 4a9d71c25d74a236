"""The jobs of the chaos run: their number, kinds and lanes."""

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
# Disasters must not use up the attempts of ordinary jobs; only jobs that are expected to die have few.
_MANY_ATTEMPTS, _FEW_ATTEMPTS = 50, 2
_FIRST_JOBS = 20
# More slow jobs than one worker claims, so that others are pending when the worker releases its jobs.
SLOW, _SLOW_SECONDS = 10, 2.0
DYING = {"exhausting", "poison"}
MENDED_LATER, NEVER_MENDED = "corrupt", "encrypted"


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a run."""

    jobs: int
    nap: float
    # Jobs enqueued during a storm take longer, so that a storm ends before its part of the jobs does.
    storm_nap: float
    slots: int
    storms: int
    # Number of jobs kept pending, so that every disaster happens under load.
    backlog: int
    limited_rate: float
    patience: float

    def of_kind(self, per_mille: int, *, at_least: int = 1) -> int:
        """Return the number of jobs of a kind, given its share in thousandths."""
        return max(at_least, self.jobs * per_mille // 1000)


@dataclass(frozen=True, slots=True)
class ArrivalPlan:
    """Workspaces and arrival times of the jobs."""

    workspaces: list[UUID]
    until: datetime
    dice: random.Random

    def arrival(self) -> datetime:
        """Return a random time of arrival, so that jobs are not inserted in order of arrival."""
        return self.until - timedelta(seconds=self.dice.uniform(0, 600))


def mixed_jobs(size: Size, placing: ArrivalPlan) -> list[NewJob]:
    """Return all jobs except those of `slow_jobs`, in order of insertion; the longest-lasting come first."""
    # A stalled job keeps its slot, and its next attempt needs another one, so half of the slots must be free.
    early = [*_repeat(size.slots // 2, "stall", STALLING)]
    early += [*_repeat(size.storms, "crash", HARMFUL), *_repeat(1, "poison", HARMFUL)]
    early += [*_repeat(3, "exhausting", MAIN), *_repeat(5, "toxic", MAIN, kind=MENDED_LATER)]
    rest = [
        *_repeat(size.of_kind(20), "flaky", MAIN),
        *_repeat(size.of_kind(20), "snooze", MAIN),
        *_repeat(size.of_kind(20), "rate_limited", MAIN),
        *_repeat(size.of_kind(10), "toxic", MAIN, kind=MENDED_LATER),
        *_repeat(size.of_kind(5), "toxic", MAIN, kind=NEVER_MENDED),
        *_repeat(size.of_kind(1), "exhausting", MAIN),
        *_repeat(size.of_kind(30), "count", LIMITED),
    ]
    rest += _repeat(size.jobs - len(early) - len(rest) - SLOW * size.storms, "count", MAIN)
    placing.dice.shuffle(rest)
    return [_make_job(kind, number, placing) for number, kind in enumerate([*early, *rest])]


def slow_jobs(workspace: UUID) -> list[NewJob]:
    """Return jobs of one lane that are still running when a signal arrives."""
    payload = {"nap": _SLOW_SECONDS}
    return [NewJob(workspace, HARMFUL, "count", payload=payload, max_attempts=_MANY_ATTEMPTS) for _ in range(SLOW)]


_Kind = tuple[str, str, dict[str, object]]


def _repeat(count: int, job_type: str, pool: str, **payload: object) -> Iterator[_Kind]:
    for _ in range(count):
        yield job_type, pool, payload


def _make_job(kind: _Kind, number: int, placing: ArrivalPlan) -> NewJob:
    job_type, pool, payload = kind
    return NewJob(
        workspace_id=placing.dice.choice(placing.workspaces),
        pool=pool,
        type=job_type,
        # In proportion to the tiers' shares of claims, so that all tiers run out of jobs at the same time.
        tier=TIERS[number % len(TIERS)],
        # The first jobs have priority, because they need the most time.
        priority=placing.dice.choice([50, 100, 100, 100]) if number >= _FIRST_JOBS else 0,
        arrived_at=placing.arrival(),
        payload=payload,
        max_attempts=_FEW_ATTEMPTS if job_type in DYING else _MANY_ATTEMPTS,
    )
