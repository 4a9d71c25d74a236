"""Tests that the checker finds a violation of each rule in artificial histories."""

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
    history = ArtificialHistory()
    for job in range(1, 9):
        history.enqueue(job)
    history.claim(1, 2, worker=ANN)
    history.fail(1)
    history.end(2)
    history.claim(1, 3)
    history.fail(1, "rate_limit", spent=False, state="scheduled")
    history.fail(3, "ai_quota", spent=False)
    history.claim(3, 4)
    history.change(1, state="pending")
    history.change(3, fence=3, worker=BEN)  # taken over
    history.fail(3, "worker_lost")
    history.claim(1)
    history.die(1)
    history.replay(1)
    history.change(4, state="pending", worker=None, fence=2, attempts=0)  # released
    history.claim(1, 3, 4)
    for job in (1, 3, 4):
        history.end(job)
    history.claim(5, 6, 7, 8)
    for job in (5, 6, 7, 8):
        history.end(job)
    findings = check(history.events, history.effects)
    assert findings.violations == []
    assert set(findings.kept_places) == {"retry", "rate limit", "snooze", "stall", "replay", "give back"}


def test_a_parent_may_wait_for_children_and_time_out() -> None:
    history = one_running()
    history.change(1, state="waiting", worker=None, attempts=0)
    history.change(1, state="pending")
    history.claim(1)
    history.change(1, state="waiting", worker=None, attempts=0)
    history.change(1, state="running", worker=BEN, attempts=1, fence=3)
    history.fail(1, "timeout")
    history.claim(1)
    history.end(1)
    assert history.find_violated_rules() == set()


def test_consecutive_snoozes_may_share_one_history_entry() -> None:
    history = one_running()
    history.fail(1, "rate_limit", spent=False)
    history.claim(1)
    history.change(1, state="scheduled", worker=None, attempts=0)
    history.change(1, state="pending")
    history.claim(1)
    history.end(1)
    assert history.find_violated_rules() == set()


def one_running() -> ArtificialHistory:
    history = ArtificialHistory()
    history.enqueue(1)
    history.claim(1)
    return history


def _complete_twice(history: ArtificialHistory) -> None:
    history.end(1)
    history.end(1)


def _lose_job(history: ArtificialHistory) -> None:
    history.add_transition(1, history._now[1], None)


def _die_and_complete(history: ArtificialHistory) -> None:
    row = history._now[1]
    history.die(1)
    history.add_transition(1, None, replace(row, state="done"), "job_history", together=True)


def _keep_running(history: ArtificialHistory) -> None:
    pass


def _keep_pending(history: ArtificialHistory) -> None:
    history.end(1)
    history.enqueue(2)


def _claim_under_the_same_fence(history: ArtificialHistory) -> None:
    history.fail(1)
    history.change(1, state="running", worker=BEN, attempts=2)
    history.end(1)


def _take_over_under_the_same_fence(history: ArtificialHistory) -> None:
    history.change(1, worker=BEN)
    history.end(1)


def _decrease_fence(history: ArtificialHistory) -> None:
    history.fail(1)
    history.change(1, fence=0)
    history.claim(1)
    history.end(1)


def _claim_while_scheduled(history: ArtificialHistory) -> None:
    history.fail(1, state="scheduled")
    history.claim(1)
    history.end(1)


def _exceed_attempts(history: ArtificialHistory) -> None:
    for _ in range(3):
        history.fail(1)
        history.claim(1)
    history.end(1)


def _snooze_with_an_attempt(history: ArtificialHistory) -> None:
    history.fail(1, "rate_limit", spent=True)
    history.claim(1)
    history.end(1)


def _wait_for_children_with_an_attempt(history: ArtificialHistory) -> None:
    history.change(1, state="waiting", worker=None)
    history.change(1, state="pending")
    history.claim(1)
    history.end(1)


def _promote_with_an_attempt(history: ArtificialHistory) -> None:
    history.fail(1, state="scheduled")
    history.change(1, state="pending", attempts=2)
    history.claim(1)
    history.end(1)


def _release_with_an_attempt(history: ArtificialHistory) -> None:
    history.change(1, state="pending", worker=None, fence=2)
    history.claim(1)
    history.end(1)


def _retry_without_an_attempt(history: ArtificialHistory) -> None:
    history.fail(1, spent=False)
    history.claim(1)
    history.end(1)


def _complete_by_another_worker(history: ArtificialHistory) -> None:
    row = history._now[1]
    history.add_transition(1, row, None)
    history.add_transition(1, None, replace(row, state="done", worker=BEN), "job_history", together=True)


def _complete_while_pending(history: ArtificialHistory) -> None:
    history.fail(1)
    history.end(1)


def _end_under_an_old_fence(history: ArtificialHistory) -> None:
    row = history._now[1]
    history.add_transition(1, row, None)
    history.add_transition(1, None, replace(row, state="done", fence=0), "job_history", together=True)


def _replay_and_keep_the_letter(history: ArtificialHistory) -> None:
    row = history._now[1]
    history.die(1)
    history.enqueue(1, fence=row.fence)
    history.claim(1)
    history.end(1)


def _replay_under_an_old_fence(history: ArtificialHistory) -> None:
    row = history._now[1]
    history.die(1)
    history.enqueue(1, fence=0)
    history.add_transition(1, replace(row, state="dead"), None, "dead_letters", together=True)
    history.claim(1)
    history.end(1)


def _repeat_effect(history: ArtificialHistory) -> None:
    history.end(1)
    history.effects *= 2


def _omit_effect(history: ArtificialHistory) -> None:
    history.end(1)
    history.effects.clear()


def _record_effect_of_a_late_result(history: ArtificialHistory) -> None:
    history.end(1)
    history.effects = [replace(history.effects[0], fence=0)]


def _record_effect_of_a_dead_job(history: ArtificialHistory) -> None:
    history.die(1)
    history.effects = [Effect(UUID(int=1), 1, ANN)]


def _store_time_of_a_wrong_clock(history: ArtificialHistory) -> None:
    history.change(1, stamped_at=NOON + timedelta(hours=1))
    history.end(1)


def _change_arrival(history: ArtificialHistory) -> None:
    history.fail(1)
    history.claim(1)
    history.events[-1].arrived_at += timedelta(seconds=1)
    history.end(1)


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
    history = one_running()
    action(history)
    assert rule in history.find_violated_rules()


def _claim_later_arrival_first(history: ArtificialHistory) -> None:
    history.claim(2)
    history.claim(1)


def _claim_urgent_job_last(history: ArtificialHistory) -> None:
    history.enqueue(3, priority=50)
    history.claim(1, 2)
    history.claim(3)


def _overtake_after(why: str) -> Callable[[ArtificialHistory], None]:
    def action(history: ArtificialHistory) -> None:
        history.claim(1)
        history.fail(1, why, spent=why == "worker_lost")
        history.claim(2)
        history.claim(1)

    return action


def _overtake_after_replay(history: ArtificialHistory) -> None:
    history.claim(1)
    history.die(1)
    history.replay(1)
    history.claim(2)
    history.claim(1)


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
    history = ArtificialHistory()
    history.enqueue(1)
    history.enqueue(2)
    action(history)
    for job in history._now:
        history.end(job)
    assert history.find_violated_rules() == {"out of order in a lane"}


def test_a_job_invisible_to_the_claim_was_not_overtaken() -> None:
    history = ArtificialHistory()
    history.enqueue(1)
    history.enqueue(2)
    history.claim(2)
    # The transaction that enqueued the first job was still open when the second one was claimed.
    history.events[-1].seen = Snapshot(101, 103, frozenset({101}))
    history.end(2)
    history.claim(1)
    history.end(1)
    assert history.find_violated_rules() == set()


def test_a_job_locked_for_cancellation_was_not_overtaken() -> None:
    history = ArtificialHistory()
    history.enqueue(1)
    history.enqueue(2)
    history.claim(2)
    history.end(1, "cancelled")
    history.end(2)
    assert history.find_violated_rules() == set()


def _serve(pattern: str) -> ArtificialHistory:
    """Return a history in which all tiers have pending jobs and are served in this order."""
    history = ArtificialHistory()
    jobs = {tier: iter(range(1 + tier, 10_000, 3)) for tier in range(3)}
    places = [next(jobs[int(digit)]) for digit in pattern]
    for tier in range(3):
        for job in [p for p in places if (p - 1) % 3 == tier] + [next(jobs[tier]) for _ in range(20)]:
            history.enqueue(job, tier=tier)
    for job in places:
        history.claim(job)
        history.end(job)
    return history


@pytest.mark.parametrize(
    ("pattern", "off"), [("0010010012" * 60, False), ("0011010012" * 60, True), ("0000010012" * 60, True)]
)
def test_shares_off_by_more_than_two_points_are_found(pattern: str, off: bool) -> None:
    history = _serve(pattern)
    assert ("share out of tolerance" in history.find_violated_rules()) == off
    assert [window.claims for window in check(history.events).windows] == [600]


@pytest.mark.parametrize(("pattern", "starved"), [("0000000002" * 5, False), ("0" * 35 + "2" * 15, True)])
def test_a_tier_that_waits_too_long_is_found(pattern: str, starved: bool) -> None:
    claims = check(_serve(pattern).events).claims["extract"]
    assert bool(check_bounded_wait(claims, 2, 10)) == starved
