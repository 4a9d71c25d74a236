"""Tests that pending jobs that are not started are reported, unless another cause explains it."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest

from docyard.db import Connection, Database
from docyard.model.tiers import Tier
from docyard.queue import control, monitor
from tests.queue.queue_workers import POOL, claim_committed, insert_jobs, register_worker_committed


@pytest.fixture
def worker(database: Database, conn: Connection, workspace: UUID) -> UUID:
    """A live worker with free slots that has not claimed any of three pending jobs since a sample 40 seconds ago."""
    worker_id = register_worker_committed(database)
    insert_jobs(conn, workspace, Tier.LOW, 3)
    monitor.take_sample(conn, lag=0)
    conn.execute("UPDATE queue_samples SET taken_at = taken_at - interval '40 seconds'")
    return worker_id


def find_stalls(conn: Connection) -> list[tuple[str, int]]:
    """Return the stalled pools in a new count of the backlog."""
    overview = monitor.collect_overview(conn, monitor.count_backlog(conn))
    assert all(40 <= pool.seconds < 60 for pool in overview.stalled)
    return [(pool.name, pool.pending) for pool in overview.stalled]


def test_pending_jobs_that_are_not_started_are_a_stall(database: Database, conn: Connection, worker: UUID) -> None:
    assert find_stalls(conn) == [(POOL, 3)]
    assert monitor.collect_overview(conn).stalled, "the latest sample may be the one 40 seconds ago"
    claim_committed(database, worker, 1)
    assert find_stalls(conn) == []


def test_jobs_that_arrived_after_the_sample_are_a_stall_after_half_a_minute(
    conn: Connection, worker: UUID, workspace: UUID
) -> None:
    conn.execute("DELETE FROM queue_samples")
    conn.execute("DELETE FROM jobs")
    monitor.take_sample(conn, lag=0)
    conn.execute("UPDATE queue_samples SET taken_at = taken_at - interval '40 seconds'")
    insert_jobs(conn, workspace, Tier.LOW, 1)
    assert find_stalls(conn) == []
    conn.execute("UPDATE jobs SET arrived_at = now() - interval '31 s', created_at = now() - interval '31 s'")
    assert find_stalls(conn) == [(POOL, 1)]


def test_a_worker_that_neither_samples_nor_starts_jobs_is_reported(
    database: Database, conn: Connection, worker: UUID
) -> None:
    conn.execute("UPDATE queue_samples SET taken_at = taken_at - interval '30 seconds', facts = facts - 'depth'")
    (advice,) = monitor.advise(monitor.collect_overview(conn))
    assert advice.level == "red"
    assert "Jobs are pending, but none was started, and the backlog was not counted, in the last 7" in advice.words
    claim_committed(database, worker, 1)
    assert monitor.advise(monitor.collect_overview(conn)) == []


@pytest.mark.parametrize(("seconds", "is_reported"), [(20, False), (50, True)])
def test_a_worker_whose_main_loop_makes_no_progress_is_reported(
    conn: Connection, worker: UUID, seconds: int, is_reported: bool
) -> None:
    conn.execute("UPDATE workers SET progress_at = clock_timestamp() - make_interval(secs => %s)", (seconds,))
    words = " ".join(one.words for one in monitor.advise(monitor.collect_overview(conn)))
    assert (f"The worker {str(worker)[:8]} (process" in words) == is_reported


LEFT_WORK = {
    "pending": "UPDATE jobs SET state = 'pending'",
    "running": "UPDATE jobs SET state = 'running', worker_id = (SELECT id FROM workers), started_at = now(),"
    " deadline_at = now() + interval '1 minute'",
    "due": "UPDATE jobs SET state = 'scheduled', run_at = now() - interval '1 minute'",
}


@pytest.mark.parametrize("state", LEFT_WORK)
def test_work_that_is_left_without_a_worker_is_reported(conn: Connection, worker: UUID, state: str) -> None:
    conn.execute("DELETE FROM queue_samples")
    conn.execute(LEFT_WORK[state].encode())
    monitor.take_sample(conn, lag=0)
    assert monitor.advise(monitor.collect_overview(conn)) == []
    conn.execute(
        "UPDATE workers SET lease_seconds = 1, heartbeat_at = now() - interval '9 seconds' WHERE id = %s", (worker,)
    )
    (advice,) = monitor.advise(monitor.collect_overview(conn))
    assert (advice.level, advice.topic) == ("red", "workers")
    assert "no worker is running" in advice.words


def test_work_of_the_future_needs_no_worker_yet(conn: Connection, worker: UUID) -> None:
    conn.execute("UPDATE jobs SET state = 'scheduled', run_at = now() + interval '1 hour'")
    conn.execute("UPDATE workers SET state = 'stopped' WHERE id = %s", (worker,))
    monitor.take_sample(conn, lag=0)
    assert monitor.advise(monitor.collect_overview(conn)) == []


EXPLANATIONS: dict[str, Callable[[Connection], object]] = {
    "no worker": lambda conn: conn.execute("UPDATE workers SET state = 'stopped'"),
    "silent worker": lambda conn: conn.execute(
        "UPDATE workers SET lease_seconds = 1, heartbeat_at = now() - interval '9 seconds'"
    ),
    "busy worker": lambda conn: conn.execute("UPDATE workers SET slots = 0"),
    "paused pool": lambda conn: control.pause(conn, "pool", POOL),
    "paused tier": lambda conn: control.pause(conn, "tier", "low"),
    "paused workspace": lambda conn: control.pause(conn, "workspace", "Main"),
    "capped workspace": lambda conn: control.limit_workspace(conn, "Main", max_running=1),
    "slow pool": lambda conn: control.limit_pool(conn, POOL, max_running=None, rate=0.01, burst=1),
    "open breaker": lambda conn: conn.execute(
        "INSERT INTO pool_breakers (pool, state, open_until) VALUES (%s, 'open', now() + interval '1 min')", (POOL,)
    ),
    "no jobs": lambda conn: conn.execute("DELETE FROM jobs"),
    "recent sample": lambda conn: conn.execute("UPDATE queue_samples SET taken_at = clock_timestamp()"),
}


def test_explained_waits_are_not_a_stall(conn: Connection, worker: UUID) -> None:
    for name, explain in EXPLANATIONS.items():
        with conn.transaction(force_rollback=True):
            explain(conn)
            assert find_stalls(conn) == [], name
    assert find_stalls(conn) == [(POOL, 3)], "without an explanation"
