"""The history checker, which is independent of the code under test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from uuid import UUID

from tests.chaos.instruments.events import Effect, Event
from tests.chaos.instruments.job_checks import JobChecker, JobState, Violation, check_effects
from tests.chaos.lane_checks import Claim, LaneChecker, Window, check_shares, windows

# Shares are checked in windows of at least this many claims; in smaller ones, a few jobs are two points.
LEAST_CLAIMS = 500


@dataclass(frozen=True, slots=True)
class Findings:
    """The violations, and data that show how much was checked."""

    violations: list[Violation]
    stories: dict[UUID, JobState]
    kept_places: Counter[str]
    windows: list[Window]
    claims: dict[str, list[Claim]]

    def summarize(self) -> dict[str, tuple[int, Violation]]:
        """Return each violated rule with the number of violations and the first one."""
        counted = Counter(violation.rule for violation in self.violations)
        first = {violation.rule: violation for violation in reversed(self.violations)}
        return {rule: (count, first[rule]) for rule, count in counted.items()}

    def rules(self) -> set[str]:
        """Return the violated rules."""
        return {violation.rule for violation in self.violations}


def check(
    events: Iterable[Event],
    effects: Iterable[Effect] | None = None,
    *,
    locked: Collection[tuple[int, UUID]] = (),
    ample: int = 16,
    least_claims: int = LEAST_CLAIMS,
) -> Findings:
    """Check a complete history against every rule; check its effects only if they are given.

    A claim may skip a job that another transaction has locked; `locked` lists these cases as pairs of the
    claim's transaction and the job.
    """
    lives, lanes = JobChecker(), LaneChecker(locked)
    for event in events:
        lives.follow(event)
        lanes.follow(event)
    lives.finish()
    lanes.finish()
    found = list(windows(lanes.claims, ample=ample))
    violations = [*lives.violations, *lanes.violations, *check_shares(found, least=least_claims)]
    if effects is not None:
        violations += check_effects(lives.stories, list(effects))
    return Findings(violations, lives.stories, lanes.kept_places, found, lanes.claims)
