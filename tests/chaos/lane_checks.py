"""Checks of the order of claims within lanes, and of the shares of tiers."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate, groupby
from uuid import UUID

from tests.chaos.instruments.events import Event, Lane, Snapshot
from tests.chaos.instruments.job_checks import Violation, find_return_reason

SHARES = {0: 60.0, 1: 30.0, 2: 10.0}
POINTS = 2.0


@dataclass(order=True, slots=True)
class PendingPeriod:
    """A period during which a job was pending."""

    place: tuple[int, datetime, UUID]
    since: int = field(compare=False)
    lane: Lane = field(compare=False)
    visible: bool = field(compare=False, default=False)
    over: bool = field(compare=False, default=False)


@dataclass(slots=True)
class ClaimedJob:
    """A claimed job, and why it was returned to the queue before, if it was."""

    event: Event
    waiting: PendingPeriod | None
    returned: str | None


@dataclass(slots=True)
class Claim:
    """The jobs that one statement claimed from one pool, in no particular order."""

    pool: str
    xact: int
    seen: Snapshot
    taken: list[ClaimedJob] = field(default_factory=list)
    backlog: Counter[int] = field(default_factory=Counter)

    def count_tier(self, tier: int) -> int:
        """Count the claimed jobs of a tier."""
        return sum(1 for one in self.taken if one.event.lane.tier == tier)


class LaneChecker:
    """A checker that tracks the pending jobs of every lane and checks each claim against the visible ones."""

    def __init__(self, locked: Collection[tuple[int, UUID]] = ()) -> None:
        self._locked = locked
        self.violations: list[Violation] = []
        self.claims: dict[str, list[Claim]] = defaultdict(list)
        self.kept_places: Counter[str] = Counter()
        self._pending: dict[UUID, PendingPeriod] = {}
        self._returned: dict[UUID, str] = {}
        self._invisible: dict[str, list[PendingPeriod]] = defaultdict(list)
        self._queues: dict[Lane, list[PendingPeriod]] = defaultdict(list)
        self._backlog: dict[str, Counter[int]] = defaultdict(Counter)
        self._open: dict[str, Claim] = {}
        self._suspects: dict[UUID, Violation] = {}

    def follow(self, event: Event) -> None:
        """Process the next event."""
        if event.source != "jobs":
            return
        if event.before is not None and event.before.state == "pending":
            if event.is_claim and event.seen is not None:
                self._add_to_claim(event, event.seen)
            else:
                self._handle_withdrawal(event)
        if event.after is not None and event.after.state == "pending":
            waiting = PendingPeriod(event.place, event.xact, event.lane)
            self._pending[event.job] = waiting
            self._invisible[event.lane.pool].append(waiting)
        if why := find_return_reason(event):
            self._returned[event.job] = why

    def finish(self) -> None:
        """Check the remaining claims."""
        for claim in self._open.values():
            self._check_claim(claim)
        self.violations += self._suspects.values()

    def _add_to_claim(self, event: Event, seen: Snapshot) -> None:
        claim = self._open.get(event.lane.pool)
        if claim is None or claim.xact != event.xact:
            # Claims of a pool are serialised, so the previous one is complete.
            if claim is not None:
                self._check_claim(claim)
            claim = self._open[event.lane.pool] = Claim(event.lane.pool, event.xact, seen)
        waiting = self._pending.pop(event.job, None)
        claim.taken.append(ClaimedJob(event, waiting, self._returned.pop(event.job, None)))
        if event.job in self._suspects:
            self.violations.append(self._suspects.pop(event.job))

    def _handle_withdrawal(self, event: Event) -> None:
        """Remove a job that was not claimed; claims may have skipped it because it was locked."""
        self._suspects.pop(event.job, None)
        if waiting := self._pending.pop(event.job, None):
            self._drop(waiting)

    def _drop(self, waiting: PendingPeriod) -> None:
        waiting.over = True
        if waiting.visible:
            self._backlog[waiting.lane.pool][waiting.lane.tier] -= 1

    def _check_claim(self, claim: Claim) -> None:
        self._admit_visible(claim)
        claim.backlog = Counter(self._backlog[claim.pool])
        lanes: dict[Lane, list[ClaimedJob]] = defaultdict(list)
        for one in claim.taken:
            lanes[one.event.lane].append(one)
            if one.waiting is not None:
                self._drop(one.waiting)
        for lane, taken in lanes.items():
            self._check_lane(lane, taken)
        self.claims[claim.pool].append(claim)

    def _admit_visible(self, claim: Claim) -> None:
        """Add the jobs that this claim could see to their lanes; jobs committed later stay invisible."""
        still_invisible = []
        for waiting in self._invisible[claim.pool]:
            if waiting.over:
                continue
            if not claim.seen.sees(waiting.since):
                still_invisible.append(waiting)
                continue
            waiting.visible = True
            heapq.heappush(self._queues[waiting.lane], waiting)
            self._backlog[claim.pool][waiting.lane.tier] += 1
        self._invisible[claim.pool] = still_invisible

    def _check_lane(self, lane: Lane, taken: list[ClaimedJob]) -> None:
        last = max(taken, key=lambda one: one.event.place).event
        passed_over = list(self._pop_before(lane, last))
        for waiting in passed_over:
            heapq.heappush(self._queues[lane], waiting)
            job = waiting.place[-1]
            if (last.xact, job) in self._locked:
                continue
            words = f"{last.place} was claimed before {waiting.place}"
            self._suspects.setdefault(job, Violation("out of order in a lane", job, last.id, words))
        if self._queues[lane]:
            self.kept_places.update(one.returned for one in taken if one.returned)

    def _pop_before(self, lane: Lane, last: Event) -> Iterator[PendingPeriod]:
        """Remove and yield the pending jobs before `last`; also remove those that are no longer pending."""
        queue = self._queues[lane]
        while queue and (queue[0].over or queue[0].place < last.place):
            waiting = heapq.heappop(queue)
            if not waiting.over:
                yield waiting


@dataclass(frozen=True, slots=True)
class Window:
    """A series of consecutive claims of one pool during which every tier had pending jobs."""

    pool: str
    claims: int
    shares: dict[int, float]
    last_event: int


def windows(claims: dict[str, list[Claim]], *, ample: int) -> Iterator[Window]:
    """Yield the longest windows in which each tier had at least `ample` pending jobs before every claim."""
    for pool, made in claims.items():
        backlogged = groupby(made, key=lambda claim: all(claim.backlog[tier] >= ample for tier in SHARES))
        for throughout, group in backlogged:
            if throughout:
                yield _make_window(pool, list(group))


def _make_window(pool: str, claims: list[Claim]) -> Window:
    total = sum(len(claim.taken) for claim in claims)
    shares = {tier: 100.0 * sum(claim.count_tier(tier) for claim in claims) / total for tier in SHARES}
    return Window(pool, total, shares, claims[-1].taken[-1].event.id)


def check_shares(found: list[Window], *, least: int) -> list[Violation]:
    """Check that in windows of at least `least` claims each tier received its share within two points."""
    return [
        Violation("share out of tolerance", None, window.last_event, f"{window.claims} claims: {window.shares}")
        for window in found
        if window.claims >= least and any(abs(window.shares[tier] - share) > POINTS for tier, share in SHARES.items())
    ]


def check_bounded_wait(claims: list[Claim], tier: int, one_in: int) -> list[Violation]:
    """Check that of any N consecutive claims while the tier had jobs, at least N // one_in - 1 served it."""
    violations = []
    for waiting, group in groupby(claims, key=lambda claim: claim.backlog[tier] > 0):
        made = list(group) if waiting else []
        taken = [0, *accumulate(len(claim.taken) for claim in made)]
        served = [0, *accumulate(claim.count_tier(tier) for claim in made)]
        for start in range(len(made)):
            for end in range(start + 1, len(made) + 1):
                total, got = taken[end] - taken[start], served[end] - served[start]
                if got < total // one_in - 1:
                    words = f"{got} of {total} claims"
                    violations.append(Violation("tier waits too long", None, taken[start], words))
    return violations
