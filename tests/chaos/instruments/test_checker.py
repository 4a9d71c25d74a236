"""Tests that the checker finds a violation of each rule in an artificial history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from tests.chaos.instruments.artificial_history import ANN, BEN, NOON, ArtificialHistory
from tests.chaos.instruments.checker import check
from tests.chaos.instruments.events import Effect, Snapshot
from tests.chaos.lane_checks import check_bounded_wait


def test_a_valid_history_with_every_transition_is_accepted() -> None:
    tale = ArtificialHistory()
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
    tale.change(4, state="pending", worker=None, fence=2, attempts=0)  # released
    tale.claim(1, 3, 4)
    for job in (1, 3, 4):
        tale.end(job)
    tale.claim(5, 6, 7, 8)
    for job in (5, 6, 7, 8):
        tale.end(job)
    findings = check(tale.events, tale.effects)
    assert findings.violations == []
    assert set(findings.kept_places) == {"retry", "rate limit", "snooze", "stall", "replay", "give back"}


def test_a_parent_may_wait_for_children_and_time_out() -> None:
    tale = one_running()
    tale.change(1, state="waiting", worker=None, attempts=0)
    tale.change(1, state="pending")
    tale.claim(1)
    tale.change(1, state="waiting", worker=None, attempts=0)
    tale.change(1, state="running", worker=BEN, attempts=1, fence=3)
    tale.fail(1, "timeout")
    tale.claim(1)
    tale.end(1)
    assert tale.find_violated_rules() == set()


def test_consecutive_snoozes_may_share_one_history_entry() -> None:
    tale = one_running()
    tale.fail(1, "rate_limit", spent=False)
    tale.claim(1)
    tale.change(1, state="scheduled", worker=None, attempts=0)
    tale.change(1, state="pending")
    tale.claim(1)
    tale.end(1)
    assert tale.find_violated_rules() == set()


def one_running() -> ArtificialHistory:
    tale = ArtificialHistory()
    tale.enqueue(1)
    tale.claim(1)
    return tale


def _complete_twice(tale: ArtificialHistory) -> None:
    tale.end(1)
    tale.end(1)


def _lose_job(tale: ArtificialHistory) -> None:
    tale.add_transition(1, tale._now[1], None)


def _die_and_complete(tale: ArtificialHistory) -> None:
    row = tale._now[1]
    tale.die(1)
    tale.add_transition(1, None, replace(row, state="done"), "job_history", together=True)


def _keep_running(tale: ArtificialHistory) -> None:
    pass


def _keep_pending(tale: ArtificialHistory) -> None:
    tale.end(1)
    tale.enqueue(2)


def _claim_under_the_same_fence(tale: ArtificialHistory) -> None:
    tale.fail(1)
    tale.change(1, state="running", worker=BEN, attempts=2)
    tale.end(1)


def _take_over_under_the_same_fence(tale: ArtificialHistory) -> None:
    tale.change(1, worker=BEN)
    tale.end(1)


def _decrease_fence(tale: ArtificialHistory) -> None:
    tale.fail(1)
    tale.change(1, fence=0)
    tale.claim(1)
    tale.end(1)


def _claim_while_scheduled(tale: ArtificialHistory) -> None:
    tale.fail(1, state="scheduled")
    tale.claim(1)
    tale.end(1)


def _exceed_attempts(tale: ArtificialHistory) -> None:
    for _ in range(3):
        tale.fail(1)
        tale.claim(1)
    tale.end(1)


def _snooze_with_an_attempt(tale: ArtificialHistory) -> None:
    tale.fail(1, "rate_limit", spent=True)
    tale.claim(1)
    tale.end(1)


def _wait_for_children_with_an_attempt(tale: ArtificialHistory) -> None:
    tale.change(1, state="waiting", worker=None)
    tale.change(1, state="pending")
    tale.claim(1)
    tale.end(1)


def _promote_with_an_attempt(tale: ArtificialHistory) -> None:
    tale.fail(1, state="scheduled")
    tale.change(1, state="pending", attempts=2)
    tale.claim(1)
    tale.end(1)


def _release_with_an_attempt(tale: ArtificialHistory) -> None:
    tale.change(1, state="pending", worker=None, fence=2)
    tale.claim(1)
    tale.end(1)


def _retry_without_an_attempt(tale: ArtificialHistory) -> None:
    tale.fail(1, spent=False)
    tale.claim(1)
    tale.end(1)


def _complete_by_another_worker(tale: ArtificialHistory) -> None:
    row = tale._now[1]
    tale.add_transition(1, row, None)
    tale.add_transition(1, None, replace(row, state="done", worker=BEN), "job_history", together=True)


def _complete_while_pending(tale: ArtificialHistory) -> None:
    tale.fail(1)
    tale.end(1)


def _end_under_an_old_fence(tale: ArtificialHistory) -> None:
    row = tale._now[1]
    tale.add_transition(1, row, None)
    tale.add_transition(1, None, replace(row, state="done", fence=0), "job_history", together=True)


def _replay_and_keep_the_letter(tale: ArtificialHistory) -> None:
    row = tale._now[1]
    tale.die(1)
    tale.enqueue(1, fence=row.fence)
    tale.claim(1)
    tale.end(1)


def _replay_under_an_old_fence(tale: ArtificialHistory) -> None:
    row = tale._now[1]
    tale.die(1)
    tale.enqueue(1, fence=0)
    tale.add_transition(1, replace(row, state="dead"), None, "dead_letters", together=True)
    tale.claim(1)
    tale.end(1)


def _repeat_effect(tale: ArtificialHistory) -> None:
    tale.end(1)
    tale.effects *= 2


def _omit_effect(tale: ArtificialHistory) -> None:
    tale.end(1)
    tale.effects.clear()


def _record_effect_of_a_late_result(tale: ArtificialHistory) -> None:
    tale.end(1)
    tale.effects = [replace(tale.effects[0], fence=0)]


def _record_effect_of_a_dead_job(tale: ArtificialHistory) -> None:
    tale.die(1)
    tale.effects = [Effect(UUID(int=1), 1, ANN)]


def _store_time_of_a_wrong_clock(tale: ArtificialHistory) -> None:
    tale.change(1, stamped_at=NOON + timedelta(hours=1))
    tale.end(1)


def _change_arrival(tale: ArtificialHistory) -> None:
    tale.fail(1)
    tale.claim(1)
    tale.events[-1].arrived_at += timedelta(seconds=1)
    tale.end(1)


@pytest.mark.parametrize(
    ("action", "rule"),
    [
        (_complete_twice, "completed twice"),
        (_complete_twice, "ended twice"),
        (_lose_job, "not exactly one terminal row"),
        (_die_and_complete, "ended twice"),
        (_die_and_complete, "not exactly one terminal row"),
        (_keep_running, "still live at the end"),
        (_keep_pending, "still live at the end"),
        (_claim_under_the_same_fence, "claim without a new fence"),
        (_take_over_under_the_same_fence, "taken over without a new fence"),
        (_decrease_fence, "fence decreased"),
        (_claim_while_scheduled, "claimed while not pending"),
        (_exceed_attempts, "more attempts than allowed"),
        (_snooze_with_an_attempt, "attempt used by waiting"),
        (_release_with_an_attempt, "attempt used by waiting"),
        (_wait_for_children_with_an_attempt, "attempt used by waiting"),
        (_promote_with_an_attempt, "unknown transition"),
        (_retry_without_an_attempt, "failure without a used attempt"),
        (_complete_by_another_worker, "completed without the lease"),
        (_complete_while_pending, "completed without the lease"),
        (_end_under_an_old_fence, "ended under another fence or attempt"),
        (_replay_and_keep_the_letter, "not exactly one terminal row"),
        (_replay_under_an_old_fence, "fence decreased"),
        (_repeat_effect, "wrong number of effects"),
        (_omit_effect, "wrong number of effects"),
        (_record_effect_of_a_late_result, "effect of another lease"),
        (_record_effect_of_a_dead_job, "wrong number of effects"),
        (_change_arrival, "arrival time changed"),
        (_store_time_of_a_wrong_clock, "time from another clock"),
    ],
)
def test_each_broken_rule_is_found(action: Callable[[ArtificialHistory], None], rule: str) -> None:
    tale = one_running()
    action(tale)
    assert rule in tale.find_violated_rules()


def _claim_later_arrival_first(tale: ArtificialHistory) -> None:
    tale.claim(2)
    tale.claim(1)


def _claim_urgent_job_last(tale: ArtificialHistory) -> None:
    tale.enqueue(3, priority=50)
    tale.claim(1, 2)
    tale.claim(3)


def _overtake_after(why: str) -> Callable[[ArtificialHistory], None]:
    def action(tale: ArtificialHistory) -> None:
        tale.claim(1)
        tale.fail(1, why, spent=why == "worker_lost")
        tale.claim(2)
        tale.claim(1)

    return action


def _overtake_after_replay(tale: ArtificialHistory) -> None:
    tale.claim(1)
    tale.die(1)
    tale.replay(1)
    tale.claim(2)
    tale.claim(1)


@pytest.mark.parametrize(
    "action",
    [
        _claim_later_arrival_first,
        _claim_urgent_job_last,
        _overtake_after("worker_lost"),
        _overtake_after("rate_limit"),
        _overtake_after("ai_quota"),
        _overtake_after_replay,
    ],
)
def test_an_overtaken_job_is_found(action: Callable[[ArtificialHistory], None]) -> None:
    tale = ArtificialHistory()
    tale.enqueue(1)
    tale.enqueue(2)
    action(tale)
    for job in tale._now:
        tale.end(job)
    assert tale.find_violated_rules() == {"out of order in a lane"}


def test_a_job_invisible_to_the_claim_was_not_overtaken() -> None:
    tale = ArtificialHistory()
    tale.enqueue(1)
    tale.enqueue(2)
    tale.claim(2)
    # The transaction that enqueued the first job was still open when the second one was claimed.
    tale.events[-1].seen = Snapshot(101, 103, frozenset({101}))
    tale.end(2)
    tale.claim(1)
    tale.end(1)
    assert tale.find_violated_rules() == set()


def test_a_job_locked_for_cancellation_was_not_overtaken() -> None:
    tale = ArtificialHistory()
    tale.enqueue(1)
    tale.enqueue(2)
    tale.claim(2)
    tale.end(1, "cancelled")
    tale.end(2)
    assert tale.find_violated_rules() == set()


def _serve(pattern: str) -> ArtificialHistory:
    """Return a history in which the tiers of a full queue are served in this order."""
    tale = ArtificialHistory()
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
def test_shares_off_by_more_than_two_points_are_found(pattern: str, off: bool) -> None:
    tale = _serve(pattern)
    assert ("share out of tolerance" in tale.find_violated_rules()) == off
    assert [window.claims for window in check(tale.events).windows] == [600]


@pytest.mark.parametrize(("pattern", "starved"), [("0000000002" * 5, False), ("0" * 35 + "2" * 15, True)])
def test_a_tier_that_waits_too_long_is_found(pattern: str, starved: bool) -> None:
    claims = check(_serve(pattern).events).claims["extract"]
    assert bool(check_bounded_wait(claims, 2, 10)) == starved
