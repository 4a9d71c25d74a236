"""The history checker: reads what was recorded, knows nothing of the code that caused it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from uuid import UUID

from tests.chaos.instruments.events import Effect, Event
from tests.chaos.instruments.lives import Lives, Story, Violation, check_effects
from tests.chaos.lanes import Claim, Lanes, Window, check_shares, windows

# Two points of fewer claims than this are a handful of jobs.
LEAST_CLAIMS = 500


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found: broken rules, and how much there was that could have broken them."""

    violations: list[Violation]
    stories: dict[UUID, Story]
    kept_places: Counter[str]
    windows: list[Window]
    claims: dict[str, list[Claim]]

    def told(self) -> dict[str, tuple[int, Violation]]:
        """Each broken rule, how often it was, and the first time."""
        counted = Counter(violation.rule for violation in self.violations)
        first = {violation.rule: violation for violation in reversed(self.violations)}
        return {rule: (count, first[rule]) for rule, count in counted.items()}

    def rules(self) -> set[str]:
        """Which rules were broken."""
        return {violation.rule for violation in self.violations}


def check(
    events: Iterable[Event],
    effects: Iterable[Effect] | None = None,
    *,
    locked: Collection[tuple[int, UUID]] = (),
    ample: int = 16,
    least_claims: int = LEAST_CLAIMS,
) -> Findings:
    """Hold a whole history against every rule; the effects too, when they are given.

    A claim may leave out what somebody has locked: `locked` names such claims, by transaction, and jobs.
    """
    lives, lanes = Lives(), Lanes(locked)
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
