"""Tests of failures: delays by category, use of attempts, and dead letters."""

from __future__ import annotations

from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Failure, Reject, Retry, Wait
from docyard.model.failures import CATEGORIES, MAX_DELAY, get_category, retry_delay
from docyard.model.jobs import Completion, JobFailure, Lease, Outcome, Snooze
from docyard.pipeline import step as steps
from docyard.queue import control
from tests.queue.queue_workers import (
    POOL,
    claim_committed,
    claim_one,
    enqueue_committed,
    get_state,
    make_job,
    register_worker_committed,
    settle_failed,
)

RETRYABLE = sorted(name for name, kind in CATEGORIES.items() if kind.retry)
NEVER = sorted(set(CATEGORIES) - set(RETRYABLE))
retryable = st.sampled_from(RETRYABLE)
jitters = st.floats(0, 1)


@pytest.mark.parametrize(("name", "seconds"), [("ai_quota", 60), ("rate_limit", 30), ("timeout", 5), ("network", 5)])
def test_the_first_delay_depends_on_the_category(name: str, seconds: float) -> None:
    assert retry_delay(name, 1, 0) == seconds


@pytest.mark.parametrize(
    "message", ["HTTP 400 on page 400", "rate limit", "timeout", "quota exceeded", "connection refused: network"]
)
def test_the_message_does_not_change_the_delay(
    database: Database, conn: Connection, workspace: UUID, message: str
) -> None:
    """The category is set by the code that raises, never derived from the message."""
    enqueue_committed(database, make_job(workspace))
    fail_once(database, register_worker_committed(database), Retry("crash", message))
    (row,) = conn.execute("SELECT failure_history -> 0 ->> 'category' AS category FROM jobs").fetchall()
    assert row["category"] == "crash"
    assert 4 < seconds_until_next(conn) <= 5 * 1.25


@pytest.mark.parametrize("name", ["ai_content_blocked", "validation", "unsupported_file_type"])
def test_failures_of_permanent_categories_are_not_retried(name: str) -> None:
    assert not get_category(name).retry


@given(name=retryable, attempt=st.integers(1, 30))
def test_each_attempt_doubles_the_delay_up_to_the_maximum(name: str, attempt: int) -> None:
    now, then = retry_delay(name, attempt, 0), retry_delay(name, attempt + 1, 0)
    assert then == min(2 * now, MAX_DELAY)


@given(name=retryable, attempt=st.integers(1, 100), jitter=jitters)
def test_jitter_adds_at_most_a_quarter(name: str, attempt: int, jitter: float) -> None:
    plain = retry_delay(name, attempt, 0)
    assert plain <= retry_delay(name, attempt, jitter) <= min(1.25 * plain, MAX_DELAY)


@given(name=st.text(), attempt=st.integers(-5, 100), jitter=jitters)
def test_an_unknown_category_has_the_delay_of_an_internal_error(name: str, attempt: int, jitter: float) -> None:
    known = name if name in CATEGORIES else "internal"
    assert retry_delay(name, attempt, jitter) == retry_delay(known, max(1, attempt), jitter)


def fail_once(database: Database, worker: UUID, failure: Failure) -> Lease:
    """Make the only job due, claim it and let it fail."""
    with database.transaction() as conn:
        conn.execute("UPDATE jobs SET run_at = now() WHERE state = 'scheduled'")
        queue.promote_due(conn)
    lease = claim_one(database, worker)
    with database.transaction() as conn:
        assert steps.fail(conn, lease, failure)
    return lease


def seconds_until_next(conn: Connection) -> float:
    row = conn.execute("SELECT extract(epoch FROM run_at - clock_timestamp())::float8 AS s FROM jobs").fetchone()
    assert row
    return float(row["s"])


def test_a_job_waits_longer_after_each_failure(database: Database, conn: Connection, workspace: UUID) -> None:
    worker = register_worker_committed(database)
    enqueue_committed(database, make_job(workspace, max_attempts=5))
    waits = []
    for _ in range(4):
        fail_once(database, worker, Retry("ai_quota", "busy"))
        waits.append(seconds_until_next(conn))
    # The lower bound has no jitter and allows 30 seconds for a slow test; the upper bound has full jitter.
    for attempt, wait in enumerate(waits):
        assert 60 * 2**attempt - 30 < wait <= 1.25 * 60 * 2**attempt
    assert all(sooner < later for sooner, later in pairwise(waits))


def test_a_permanent_failure_becomes_a_dead_letter_immediately(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    assert len(NEVER) > 5
    for name in NEVER:
        (one,) = enqueue_committed(database, make_job(workspace))
        fail_once(database, register_worker_committed(database), Retry(name, "no use"))
        assert get_state(conn, one) is None
        (letter,) = queue.find_dead_letters(conn, category=name)
        assert (letter.id, letter.attempts) == (one, 1)


def test_a_rejection_is_final_in_any_category(database: Database, conn: Connection, workspace: UUID) -> None:
    enqueue_committed(database, make_job(workspace))
    fail_once(database, register_worker_committed(database), Reject("network", "that host does not exist"))
    assert [letter.category for letter in queue.find_dead_letters(conn)] == ["network"]


def test_an_exhausted_job_becomes_a_dead_letter_with_every_attempt(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    enqueue_committed(database, make_job(workspace, max_attempts=3))
    workers = [register_worker_committed(database) for _ in range(3)]
    for number, worker in enumerate(workers, start=1):
        assert queue.find_dead_letters(conn) == []
        fail_once(database, worker, Retry("network", f"failure {number}"))
    (letter,) = queue.find_dead_letters(conn)
    assert [(f["attempt"], f["category"], f["message"], f["worker"]) for f in letter.failure_history] == [
        (n, "network", f"failure {n}", str(worker)) for n, worker in enumerate(workers, start=1)
    ]
    assert all("at" in failure for failure in letter.failure_history)
    assert claim_committed(database, register_worker_committed(database)) == []


def test_a_failure_of_the_last_attempt_is_final(database: Database, conn: Connection, workspace: UUID) -> None:
    (one,) = enqueue_committed(database, make_job(workspace, max_attempts=1))
    lease = claim_one(database, register_worker_committed(database))
    assert queue.settle(conn, [JobFailure(lease, "network", "down", final=False)]) == {one}
    assert [letter.id for letter in queue.find_dead_letters(conn)] == [one]
    assert claim_committed(database, register_worker_committed(database)) == []


def test_snoozes_use_no_attempts(database: Database, conn: Connection, workspace: UUID) -> None:
    worker = register_worker_committed(database)
    enqueue_committed(database, make_job(workspace, max_attempts=1))
    for _ in range(5):
        assert fail_once(database, worker, Wait("rate_limit", "later", 30)).attempts == 1
        assert 0 < seconds_until_next(conn) <= 30
    assert queue.find_dead_letters(conn) == []


def test_waits_for_locks_do_not_count_as_other_waits(database: Database, conn: Connection, workspace: UUID) -> None:
    enqueue_committed(database, make_job(workspace))
    worker = register_worker_committed(database)
    for category, seconds in (("locked", 15.0), ("database", 10.0), ("locked", 15.0), ("database", 10.0)):
        queue.settle(conn, [Snooze(claim_one(database, worker), seconds, category, "Later.")])
        conn.execute("UPDATE jobs SET state = 'pending', run_at = NULL")
    lease = queue.lock_lease(conn, claim_one(database, worker))
    assert lease
    assert lease.waited == 20.0


def test_consecutive_snoozes_share_one_history_entry(database: Database, conn: Connection, workspace: UUID) -> None:
    enqueue_committed(database, make_job(workspace))
    worker = register_worker_committed(database)
    sizes = []
    for number in range(1, 61):
        lease = claim_one(database, worker)
        queue.settle(conn, [Snooze(lease, 0, "rate_limit" if number % 2 else "ai_quota", f"Later {number}.")])
        row = conn.execute("SELECT failure_history, pg_column_size(failure_history) AS size FROM jobs").fetchone()
        assert row
        (entry,) = row["failure_history"]
        assert (entry["snoozes"], entry["message"]) == (number, f"Later {number}.")
        sizes.append(row["size"])
        control.close_breaker(conn, POOL)
    assert max(sizes) - min(sizes) < 20
    settle_failed(database, claim_one(database, worker))
    queue.settle(conn, [Snooze(claim_one(database, worker), 0, "rate_limit", "Later.")])
    row = conn.execute("SELECT failure_history, attempts FROM jobs").fetchone()
    assert row
    assert [entry.get("snoozes") for entry in row["failure_history"]] == [60, None, 1]
    assert row["attempts"] == 1


def test_a_released_job_keeps_its_attempts_and_refuses_late_results(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = register_worker_committed(database)
    (one,) = enqueue_committed(database, make_job(workspace, max_attempts=1))
    lease = claim_one(database, worker)
    assert queue.release_leases(conn, worker) == []
    assert queue.settle(conn, [Completion(lease)]) == set()
    again = claim_one(database, worker)
    assert (again.job_id, again.attempts) == (one, 1)
    assert again.fence > lease.fence


def test_only_accepted_outcomes_of_a_batch_are_settled(database: Database, conn: Connection, workspace: UUID) -> None:
    worker = register_worker_committed(database)
    enqueue_committed(database, *(make_job(workspace) for _ in range(4)))
    done, dead, retried, lost = claim_committed(database, worker, 4)
    conn.execute("UPDATE jobs SET fence = fence + 1 WHERE id = %s", (lost.job_id,))
    outcomes: list[Outcome] = [
        Completion(done),
        Completion(lost),
        JobFailure(dead, "corrupt", "x", final=True),
        Snooze(retried, 9, "y", "z"),
    ]
    assert queue.settle(conn, outcomes) == {done.job_id, dead.job_id, retried.job_id}
    assert get_state(conn, lost.job_id) == "running"


@pytest.mark.parametrize("message", ["a\x00b", "half \ud83d a smile", "x" * 1_000_000, ""])
def test_an_unusual_message_does_not_prevent_settlement(
    database: Database, conn: Connection, workspace: UUID, message: str
) -> None:
    enqueue_committed(database, make_job(workspace))
    fail_once(database, register_worker_committed(database), Reject("corrupt", message))
    (letter,) = queue.find_dead_letters(conn)
    assert len(letter.message) <= 2000


def test_each_stage_has_its_own_attempts(database: Database, conn: Connection, workspace: UUID) -> None:
    worker = register_worker_committed(database)
    (one,) = enqueue_committed(database, make_job(workspace, max_attempts=3))
    for _ in range(2):
        fail_once(database, worker, Retry("worker_lost", "gone"))
    lease = claim_one(database, worker)
    assert lease.last_attempt
    assert queue.advance(conn, lease, "next")
    # The lease is outdated, but the attempts recorded for the current stage count.
    with database.transaction() as settling:
        assert steps.fail(settling, lease, Retry("network", "first failure of this stage"))
    assert get_state(conn, one) == "scheduled"
    assert seconds_until_next(conn) <= 1.25 * 5
