"""The rules among jobs: who is served before whom in a lane, and how much each tier is served."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate, groupby
from uuid import UUID

from tests.chaos.instruments.events import Event, Lane, Snapshot
from tests.chaos.instruments.lives import Violation, comeback

SHARES = {0: 60.0, 1: 30.0, 2: 10.0}
POINTS = 2.0


@dataclass(order=True, slots=True)
class Waiting:
    """One stretch of a job's life during which it was pending."""

    place: tuple[int, datetime, UUID]
    since: int = field(compare=False)
    lane: Lane = field(compare=False)
    visible: bool = field(compare=False, default=False)
    over: bool = field(compare=False, default=False)


@dataclass(slots=True)
class Taken:
    """One job of a claim, and why it had come back, if it had."""

    event: Event
    waiting: Waiting | None
    returned: str | None


@dataclass(slots=True)
class Claim:
    """Everything one statement took from one pool; a batch has no order inside."""

    pool: str
    xact: int
    seen: Snapshot
    taken: list[Taken] = field(default_factory=list)
    backlog: Counter[int] = field(default_factory=Counter)

    def of(self, tier: int) -> int:
        """How many of a tier."""
        return sum(1 for one in self.taken if one.event.lane.tier == tier)


class Lanes:
    """Follows what waits in every lane and holds each claim against what it could see."""

    def __init__(self, locked: Collection[tuple[int, UUID]] = ()) -> None:
        self._locked = locked
        self.violations: list[Violation] = []
        self.claims: dict[str, list[Claim]] = defaultdict(list)
        self.kept_places: Counter[str] = Counter()
        self._pending: dict[UUID, Waiting] = {}
        self._returned: dict[UUID, str] = {}
        self._unseen: dict[str, list[Waiting]] = defaultdict(list)
        self._queues: dict[Lane, list[Waiting]] = defaultdict(list)
        self._backlog: dict[str, Counter[int]] = defaultdict(Counter)
        self._open: dict[str, Claim] = {}
        self._suspects: dict[UUID, Violation] = {}

    def follow(self, event: Event) -> None:
        """Take the next event of some job."""
        if event.source != "jobs":
            return
        if event.before is not None and event.before.state == "pending":
            if event.is_claim and event.seen is not None:
                self._gather(event, event.seen)
            else:
                self._withdrawn(event)
        if event.after is not None and event.after.state == "pending":
            waiting = Waiting(event.place, event.xact, event.lane)
            self._pending[event.job] = waiting
            self._unseen[event.lane.pool].append(waiting)
        if why := comeback(event):
            self._returned[event.job] = why

    def finish(self) -> None:
        """Judge what is still open."""
        for claim in self._open.values():
            self._judge(claim)
        self.violations += self._suspects.values()

    def _gather(self, event: Event, seen: Snapshot) -> None:
        claim = self._open.get(event.lane.pool)
        if claim is None or claim.xact != event.xact:
            # Claims of a pool are made one after the other, so the one before is complete now.
            if claim is not None:
                self._judge(claim)
            claim = self._open[event.lane.pool] = Claim(event.lane.pool, event.xact, seen)
        waiting = self._pending.pop(event.job, None)
        claim.taken.append(Taken(event, waiting, self._returned.pop(event.job, None)))
        if event.job in self._suspects:
            self.violations.append(self._suspects.pop(event.job))

    def _withdrawn(self, event: Event) -> None:
        """Taken away by something else than a claim, which may have held it locked when claims passed it."""
        self._suspects.pop(event.job, None)
        if waiting := self._pending.pop(event.job, None):
            self._drop(waiting)

    def _drop(self, waiting: Waiting) -> None:
        waiting.over = True
        if waiting.visible:
            self._backlog[waiting.lane.pool][waiting.lane.tier] -= 1

    def _judge(self, claim: Claim) -> None:
        self._let_in(claim)
        claim.backlog = Counter(self._backlog[claim.pool])
        lanes: dict[Lane, list[Taken]] = defaultdict(list)
        for one in claim.taken:
            lanes[one.event.lane].append(one)
            if one.waiting is not None:
                self._drop(one.waiting)
        for lane, taken in lanes.items():
            self._judge_lane(lane, taken)
        self.claims[claim.pool].append(claim)

    def _let_in(self, claim: Claim) -> None:
        """Let in what this claim could see; what committed later keeps waiting at the door."""
        unseen = []
        for waiting in self._unseen[claim.pool]:
            if waiting.over:
                continue
            if not claim.seen.sees(waiting.since):
                unseen.append(waiting)
                continue
            waiting.visible = True
            heapq.heappush(self._queues[waiting.lane], waiting)
            self._backlog[claim.pool][waiting.lane.tier] += 1
        self._unseen[claim.pool] = unseen

    def _judge_lane(self, lane: Lane, taken: list[Taken]) -> None:
        last = max(taken, key=lambda one: one.event.place).event
        passed_over = list(self._before(lane, last))
        for waiting in passed_over:
            heapq.heappush(self._queues[lane], waiting)
            job = waiting.place[-1]
            if (last.xact, job) in self._locked:
                continue
            words = f"{last.place} was claimed before {waiting.place}"
            self._suspects.setdefault(job, Violation("out of order in a lane", job, last.id, words))
        if self._queues[lane]:
            self.kept_places.update(one.returned for one in taken if one.returned)

    def _before(self, lane: Lane, last: Event) -> Iterator[Waiting]:
        """What waits in front of `last`, taken out of its queue together with what waits no more."""
        queue = self._queues[lane]
        while queue and (queue[0].over or queue[0].place < last.place):
            waiting = heapq.heappop(queue)
            if not waiting.over:
                yield waiting


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive claims of one pool during which every tier had work waiting."""

    pool: str
    claims: int
    shares: dict[int, float]
    last_event: int


def windows(claims: dict[str, list[Claim]], *, ample: int) -> Iterator[Window]:
    """The longest stretches in which each tier had at least `ample` jobs waiting before every claim."""
    for pool, made in claims.items():
        backlogged = groupby(made, key=lambda claim: all(claim.backlog[tier] >= ample for tier in SHARES))
        for throughout, group in backlogged:
            if throughout:
                yield _window(pool, list(group))


def _window(pool: str, claims: list[Claim]) -> Window:
    total = sum(len(claim.taken) for claim in claims)
    shares = {tier: 100.0 * sum(claim.of(tier) for claim in claims) / total for tier in SHARES}
    return Window(pool, total, shares, claims[-1].taken[-1].event.id)


def check_shares(found: list[Window], *, least: int) -> list[Violation]:
    """In windows of at least so many claims each tier got its share within two points."""
    return [
        Violation("a share is off", None, window.last_event, f"{window.claims} claims: {window.shares}")
        for window in found
        if window.claims >= least
        and any(abs(window.shares[tier] - share) > POINTS for tier, share in SHARES.items())
    ]


def check_bounded_wait(claims: list[Claim], tier: int, one_in: int) -> list[Violation]:
    """Among any N claims made while the tier had work, at least N // one_in - 1 served it."""
    violations = []
    for waiting, group in groupby(claims, key=lambda claim: claim.backlog[tier] > 0):
        made = list(group) if waiting else []
        taken = [0, *accumulate(len(claim.taken) for claim in made)]
        served = [0, *accumulate(claim.of(tier) for claim in made)]
        for start in range(len(made)):
            for end in range(start + 1, len(made) + 1):
                total, got = taken[end] - taken[start], served[end] - served[start]
                if got < total // one_in - 1:
                    words = f"{got} of {total} claims"
                    violations.append(Violation("a tier waits too long", None, taken[start], words))
    return violations
