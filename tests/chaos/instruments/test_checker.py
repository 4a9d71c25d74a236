"""The checker must find what it looks for: each rule is broken once, in a history made by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from tests.chaos.instruments.checker import check
from tests.chaos.instruments.events import Effect, Snapshot
from tests.chaos.instruments.tale import ANN, BEN, NOON, Tale
from tests.chaos.lanes import check_bounded_wait


def test_a_lawful_history_of_every_kind_is_accepted() -> None:
    tale = Tale()
    for job in range(1, 9):
        tale.enqueue(job)
    tale.claim(1, 2, worker=ANN)
    tale.fail(1)
    tale.end(2)
    tale.claim(1, 3)
    tale.fail(1, "rate_limit", spent=False, state="scheduled")
    tale.fail(3, "ai_quota", spent=False)
    tale.claim(3, 4)
    tale.change(1, state="pending")
    tale.change(3, fence=3, worker=BEN)  # taken over
    tale.fail(3, "worker_lost")
    tale.claim(1)
    tale.die(1)
    tale.replay(1)
    tale.change(4, state="pending", worker=None, fence=2, attempts=0)  # given back
    tale.claim(1, 3, 4)
    for job in (1, 3, 4):
        tale.end(job)
    tale.claim(5, 6, 7, 8)
    for job in (5, 6, 7, 8):
        tale.end(job)
    findings = check(tale.events, tale.effects)
    assert findings.violations == []
    assert set(findings.kept_places) == {"retry", "rate limit", "snooze", "stall", "replay", "give back"}


def test_a_parent_may_wait_for_its_children_and_be_taken_over_when_they_are_late() -> None:
    tale = one_running()
    tale.change(1, state="waiting", worker=None, attempts=0)
    tale.change(1, state="pending")
    tale.claim(1)
    tale.change(1, state="waiting", worker=None, attempts=0)
    tale.change(1, state="running", worker=BEN, attempts=1, fence=3)
    tale.fail(1, "timeout")
    tale.claim(1)
    tale.end(1)
    assert tale.broken() == set()


def test_snoozes_in_a_row_may_share_one_entry_of_the_history() -> None:
    tale = one_running()
    tale.fail(1, "rate_limit", spent=False)
    tale.claim(1)
    tale.change(1, state="scheduled", worker=None, attempts=0)
    tale.change(1, state="pending")
    tale.claim(1)
    tale.end(1)
    assert tale.broken() == set()


def one_running() -> Tale:
    tale = Tale()
    tale.enqueue(1)
    tale.claim(1)
    return tale


def _completed_twice(tale: Tale) -> None:
    tale.end(1)
    tale.end(1)


def _lost(tale: Tale) -> None:
    tale.tell(1, tale._now[1], None)


def _dead_and_done(tale: Tale) -> None:
    row = tale._now[1]
    tale.die(1)
    tale.tell(1, None, replace(row, state="done"), "job_history", together=True)


def _still_running(tale: Tale) -> None:
    pass


def _still_pending(tale: Tale) -> None:
    tale.end(1)
    tale.enqueue(2)


def _claimed_under_the_same_fence(tale: Tale) -> None:
    tale.fail(1)
    tale.change(1, state="running", worker=BEN, attempts=2)
    tale.end(1)


def _taken_over_under_the_same_fence(tale: Tale) -> None:
    tale.change(1, worker=BEN)
    tale.end(1)


def _fence_fell(tale: Tale) -> None:
    tale.fail(1)
    tale.change(1, fence=0)
    tale.claim(1)
    tale.end(1)


def _claimed_while_scheduled(tale: Tale) -> None:
    tale.fail(1, state="scheduled")
    tale.claim(1)
    tale.end(1)


def _too_many_attempts(tale: Tale) -> None:
    for _ in range(3):
        tale.fail(1)
        tale.claim(1)
    tale.end(1)


def _snooze_spent(tale: Tale) -> None:
    tale.fail(1, "rate_limit", spent=True)
    tale.claim(1)
    tale.end(1)


def _waiting_for_children_spent(tale: Tale) -> None:
    tale.change(1, state="waiting", worker=None)
    tale.change(1, state="pending")
    tale.claim(1)
    tale.end(1)


def _promotion_spent(tale: Tale) -> None:
    tale.fail(1, state="scheduled")
    tale.change(1, state="pending", attempts=2)
    tale.claim(1)
    tale.end(1)


def _give_back_spent(tale: Tale) -> None:
    tale.change(1, state="pending", worker=None, fence=2)
    tale.claim(1)
    tale.end(1)


def _retry_free_of_charge(tale: Tale) -> None:
    tale.fail(1, spent=False)
    tale.claim(1)
    tale.end(1)


def _completed_by_another(tale: Tale) -> None:
    row = tale._now[1]
    tale.tell(1, row, None)
    tale.tell(1, None, replace(row, state="done", worker=BEN), "job_history", together=True)


def _completed_while_pending(tale: Tale) -> None:
    tale.fail(1)
    tale.end(1)


def _ended_under_an_old_fence(tale: Tale) -> None:
    row = tale._now[1]
    tale.tell(1, row, None)
    tale.tell(1, None, replace(row, state="done", fence=0), "job_history", together=True)


def _replayed_but_kept(tale: Tale) -> None:
    row = tale._now[1]
    tale.die(1)
    tale.enqueue(1, fence=row.fence)
    tale.claim(1)
    tale.end(1)


def _replayed_under_an_old_fence(tale: Tale) -> None:
    row = tale._now[1]
    tale.die(1)
    tale.enqueue(1, fence=0)
    tale.tell(1, replace(row, state="dead"), None, "dead_letters", together=True)
    tale.claim(1)
    tale.end(1)


def _effect_twice(tale: Tale) -> None:
    tale.end(1)
    tale.effects *= 2


def _effect_missing(tale: Tale) -> None:
    tale.end(1)
    tale.effects.clear()


def _effect_of_a_late_result(tale: Tale) -> None:
    tale.end(1)
    tale.effects = [replace(tale.effects[0], fence=0)]


def _effect_of_a_dead_job(tale: Tale) -> None:
    tale.die(1)
    tale.effects = [Effect(UUID(int=1), 1, ANN)]


def _time_of_a_wrong_clock(tale: Tale) -> None:
    tale.change(1, stamped_at=NOON + timedelta(hours=1))
    tale.end(1)


def _arrived_anew(tale: Tale) -> None:
    tale.fail(1)
    tale.claim(1)
    tale.events[-1].arrived_at += timedelta(seconds=1)
    tale.end(1)


@pytest.mark.parametrize(
    ("deed", "rule"),
    [
        (_completed_twice, "completed twice"),
        (_completed_twice, "ended twice"),
        (_lost, "not one terminal row"),
        (_dead_and_done, "ended twice"),
        (_dead_and_done, "not one terminal row"),
        (_still_running, "still live at the end"),
        (_still_pending, "still live at the end"),
        (_claimed_under_the_same_fence, "a claim without a new fence"),
        (_taken_over_under_the_same_fence, "taken over without a new fence"),
        (_fence_fell, "a fence fell"),
        (_claimed_while_scheduled, "claimed out of turn"),
        (_too_many_attempts, "more attempts than allowed"),
        (_snooze_spent, "an attempt spent by waiting"),
        (_give_back_spent, "an attempt spent by waiting"),
        (_waiting_for_children_spent, "an attempt spent by waiting"),
        (_promotion_spent, "an unknown transition"),
        (_retry_free_of_charge, "a failure that spent nothing"),
        (_completed_by_another, "completed by somebody who did not hold it"),
        (_completed_while_pending, "completed by somebody who did not hold it"),
        (_ended_under_an_old_fence, "ended under another fence or attempt"),
        (_replayed_but_kept, "not one terminal row"),
        (_replayed_under_an_old_fence, "a fence fell"),
        (_effect_twice, "effects not once"),
        (_effect_missing, "effects not once"),
        (_effect_of_a_late_result, "an effect of another holder"),
        (_effect_of_a_dead_job, "effects not once"),
        (_arrived_anew, "a place that was lost"),
        (_time_of_a_wrong_clock, "a time of another clock"),
    ],
)
def test_each_broken_rule_is_found(deed: Callable[[Tale], None], rule: str) -> None:
    tale = one_running()
    deed(tale)
    assert rule in tale.broken()


def _later_arrival_first(tale: Tale) -> None:
    tale.claim(2)
    tale.claim(1)


def _urgent_last(tale: Tale) -> None:
    tale.enqueue(3, priority=50)
    tale.claim(1, 2)
    tale.claim(3)


def _lost_its_place_after(why: str) -> Callable[[Tale], None]:
    def deed(tale: Tale) -> None:
        tale.claim(1)
        tale.fail(1, why, spent=why == "worker_lost")
        tale.claim(2)
        tale.claim(1)

    return deed


def _lost_its_place_after_replay(tale: Tale) -> None:
    tale.claim(1)
    tale.die(1)
    tale.replay(1)
    tale.claim(2)
    tale.claim(1)


@pytest.mark.parametrize(
    "deed",
    [
        _later_arrival_first,
        _urgent_last,
        _lost_its_place_after("worker_lost"),
        _lost_its_place_after("rate_limit"),
        _lost_its_place_after("ai_quota"),
        _lost_its_place_after_replay,
    ],
)
def test_an_overtaken_job_is_found(deed: Callable[[Tale], None]) -> None:
    tale = Tale()
    tale.enqueue(1)
    tale.enqueue(2)
    deed(tale)
    for job in tale._now:
        tale.end(job)
    assert tale.broken() == {"out of order in a lane"}


def test_a_job_that_no_claim_could_see_yet_was_not_overtaken() -> None:
    tale = Tale()
    tale.enqueue(1)
    tale.enqueue(2)
    tale.claim(2)
    # The transaction that enqueued the first was still open when the second was claimed.
    tale.events[-1].seen = Snapshot(101, 103, frozenset({101}))
    tale.end(2)
    tale.claim(1)
    tale.end(1)
    assert tale.broken() == set()


def test_a_job_locked_by_somebody_who_takes_it_away_was_not_overtaken() -> None:
    tale = Tale()
    tale.enqueue(1)
    tale.enqueue(2)
    tale.claim(2)
    tale.end(1, "cancelled")
    tale.end(2)
    assert tale.broken() == set()


def _served(pattern: str) -> Tale:
    """A full queue whose tiers are served in this order."""
    tale = Tale()
    jobs = {tier: iter(range(1 + tier, 10_000, 3)) for tier in range(3)}
    places = [next(jobs[int(letter)]) for letter in pattern]
    for tier in range(3):
        for job in [p for p in places if (p - 1) % 3 == tier] + [next(jobs[tier]) for _ in range(20)]:
            tale.enqueue(job, tier=tier)
    for job in places:
        tale.claim(job)
        tale.end(job)
    return tale


@pytest.mark.parametrize(
    ("pattern", "off"), [("0010010012" * 60, False), ("0011010012" * 60, True), ("0000010012" * 60, True)]
)
def test_shares_that_are_off_by_more_than_two_points_are_found(pattern: str, off: bool) -> None:
    tale = _served(pattern)
    assert ("a share is off" in tale.broken()) == off
    assert [window.claims for window in check(tale.events).windows] == [600]


@pytest.mark.parametrize(("pattern", "starved"), [("0000000002" * 5, False), ("0" * 35 + "2" * 15, True)])
def test_a_tier_that_waits_too_long_is_found(pattern: str, starved: bool) -> None:
    claims = check(_served(pattern).events).claims["extract"]
    assert bool(check_bounded_wait(claims, 2, 10)) == starved
