"""Tests of circuit breakers."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Retry
from docyard.model.failures import CATEGORIES
from docyard.model.jobs import Completion, JobFailure, Lease, NewJob, Outcome, Snooze
from docyard.model.tiers import Tier
from docyard.queue import control
from tests.pipeline.stage_runs import arrive, fail, run_until
from tests.queue.queue_workers import (
    POOL,
    claim_committed,
    claim_in_four_processes,
    claim_one,
    count_rows,
    insert_jobs,
    register_worker_committed,
    settle_done,
    settle_failed,
)

SYSTEMIC = ("network", "ai_quota", "rate_limit", "storage")
FAILURES = 5
PAUSE_SECONDS = 30.0
STORAGE_PAUSE_SECONDS = 3.0
DOUBLINGS = 5


@pytest.fixture
def worker(database: Database) -> UUID:
    return register_worker_committed(database)


@pytest.fixture(autouse=True)
def _fill_queue(database: Database, workspace: UUID) -> None:
    with database.transaction() as conn:
        insert_jobs(conn, workspace, Tier.BACKGROUND, 60)


def breaker(conn: Connection, pool: str = POOL) -> dict[str, Any]:
    conn.execute("SELECT breaker_allowance(%s)", (pool,))  # evaluates the marks, like a claim
    return conn.execute("SELECT * FROM pool_breakers WHERE pool = %s", (pool,)).fetchone() or {}


def open_breaker(database: Database, worker: UUID, category: str = "network") -> list[Lease]:
    """Open the breaker; return the leases of two jobs that started earlier."""
    stragglers = claim_committed(database, worker, 2)
    settle_failed(database, *claim_committed(database, worker, FAILURES), category=category)
    assert claim_committed(database, worker, 1) == []
    return stragglers


def half_open(database: Database, conn: Connection, worker: UUID) -> Lease:
    """End the pause of an open breaker; return the lease of the probe."""
    assert breaker(conn)["state"] == "open"
    conn.execute("UPDATE pool_breakers SET open_until = clock_timestamp()")
    (probe,) = claim_committed(database, worker, 10)
    return probe


@pytest.mark.parametrize("category", SYSTEMIC)
def test_five_systemic_failures_open_the_breaker_and_no_attempts_are_used(
    database: Database, conn: Connection, workspace: UUID, worker: UUID, category: str
) -> None:
    with database.transaction() as adding:
        queue.enqueue(adding, [NewJob(workspace, "chunk", "test")])
    for lease in claim_committed(database, worker, FAILURES - 1):
        settle_failed(database, lease, category=category)
    (last,) = claim_committed(database, worker, 1)
    settle_failed(database, last, category=category)
    assert breaker(conn)["state"] == "open"
    assert [claim_committed(database, worker, 10) for _ in range(3)] == [[], [], []]
    assert count_rows(conn, "jobs WHERE state <> 'pending' AND pool = 'extract'") == 0
    assert conn.execute("SELECT sum(attempts) AS n FROM jobs").fetchone() == {"n": FAILURES}
    with database.transaction() as other:
        assert len(queue.claim(other, "chunk", worker, 5)) == 1


def test_only_these_categories_are_systemic() -> None:
    assert {name for name, category in CATEGORIES.items() if category.systemic} == set(SYSTEMIC)


@pytest.mark.parametrize("category", sorted(set(CATEGORIES) - set(SYSTEMIC)))
def test_other_failures_never_open_the_breaker(
    database: Database, conn: Connection, worker: UUID, category: str
) -> None:
    for _ in range(2):
        settle_failed(database, *claim_committed(database, worker, 2 * FAILURES), category=category)
    assert breaker(conn) == {}
    assert len(claim_committed(database, worker, 1)) == 1


def test_a_snooze_for_a_rate_limit_counts_as_a_failure(database: Database, conn: Connection, worker: UUID) -> None:
    leases = claim_committed(database, worker, FAILURES)
    with database.transaction() as settling:
        queue.settle(settling, [Snooze(lease, 0, "rate_limit", "Later.") for lease in leases])
    assert claim_committed(database, worker, 1) == []
    assert count_rows(conn, "jobs WHERE attempts > 0") == 0


@pytest.mark.parametrize(("successes", "state"), [(FAILURES, "open"), (FAILURES + 1, "closed")])
def test_a_pool_that_mostly_succeeds_stays_closed(
    database: Database, conn: Connection, worker: UUID, successes: int, state: str
) -> None:
    settle_failed(database, *claim_committed(database, worker, 1), category="network")
    settle_done(database, *claim_committed(database, worker, successes))
    settle_failed(database, *claim_committed(database, worker, FAILURES - 1), category="network")
    assert breaker(conn)["state"] == state


def test_failures_outside_the_window_do_not_count(database: Database, conn: Connection, worker: UUID) -> None:
    settle_failed(database, *claim_committed(database, worker, FAILURES - 1), category="network")
    assert breaker(conn)["failures"] == FAILURES - 1
    conn.execute("UPDATE pool_breakers SET window_began = window_began - interval '61 seconds'")
    settle_failed(database, *claim_committed(database, worker, FAILURES - 1), category="network")
    assert (breaker(conn)["state"], breaker(conn)["failures"]) == ("closed", FAILURES - 1)
    settle_failed(database, *claim_committed(database, worker, 1), category="network")
    assert breaker(conn)["state"] == "open"


def test_refused_failures_do_not_count(database: Database, conn: Connection, worker: UUID) -> None:
    leases = claim_committed(database, worker, 2 * FAILURES)
    queue.release_leases(conn, worker)
    assert settle_failed(database, *leases, category="network") == set()
    assert breaker(conn) == {}


def test_four_concurrent_processes_start_one_probe(
    database: Database, conn: Connection, worker: UUID, database_address: str
) -> None:
    open_breaker(database, worker)
    conn.execute("UPDATE pool_breakers SET open_until = clock_timestamp()")
    assert claim_in_four_processes(database_address) == 1
    assert breaker(conn)["state"] == "half_open"


def test_a_successful_probe_closes_the_breaker_and_all_jobs_finish(
    database: Database, conn: Connection, worker: UUID
) -> None:
    stragglers = open_breaker(database, worker)
    probe = half_open(database, conn, worker)
    assert claim_committed(database, worker, 10) == []
    settle_done(database, probe)
    assert (breaker(conn)["state"], breaker(conn)["trips"]) == ("closed", 0)
    settle_done(database, *stragglers)
    while leases := claim_committed(database, worker, 25):
        settle_done(database, *leases)
    rows = conn.execute("SELECT attempts, count(*) AS n FROM job_history GROUP BY 1").fetchall()
    assert {row["attempts"]: row["n"] for row in rows} == {1: 55, 2: 5}


def test_each_failed_probe_doubles_the_pause_up_to_sixteen_minutes(
    database: Database, conn: Connection, worker: UUID
) -> None:
    open_breaker(database, worker)
    pauses = []
    for _ in range(DOUBLINGS + 2):
        now = breaker(conn)
        pauses.append(round((now["open_until"] - now["changed_at"]).total_seconds()))
        settle_failed(database, half_open(database, conn, worker), category="network")
    assert pauses == [PAUSE_SECONDS * 2**n for n in (*range(DOUBLINGS + 1), DOUBLINGS)]
    assert pauses[-1] == 16 * 60
    settle_done(database, half_open(database, conn, worker))
    open_breaker(database, worker)
    now = breaker(conn)
    assert round((now["open_until"] - now["changed_at"]).total_seconds()) == PAUSE_SECONDS


def test_a_missing_file_store_is_looked_for_every_few_seconds(
    database: Database, conn: Connection, worker: UUID
) -> None:
    open_breaker(database, worker, "storage")
    for _ in range(DOUBLINGS):
        now = breaker(conn)
        assert (now["open_until"] - now["changed_at"]).total_seconds() == STORAGE_PAUSE_SECONDS
        settle_failed(database, half_open(database, conn, worker), category="storage")


def test_another_probe_starts_after_the_worker_of_one_is_lost(
    database: Database, conn: Connection, worker: UUID
) -> None:
    open_breaker(database, worker)
    half_open(database, conn, worker)
    other = register_worker_committed(database)
    assert claim_committed(database, other, 5) == []
    conn.execute("UPDATE workers SET heartbeat_at = '-infinity' WHERE id = %s", (worker,))
    with database.transaction() as reaping:
        for one in queue.reap(reaping, other):
            queue.settle(reaping, [JobFailure(one.lease, "worker_lost", "Gone.", final=False)])
    assert len(claim_committed(database, other, 5)) == 1
    assert claim_committed(database, other, 5) == []


@pytest.mark.parametrize("category", ["corrupt", "timeout"])
def test_another_probe_starts_after_an_inconclusive_one(
    database: Database, conn: Connection, worker: UUID, category: str
) -> None:
    open_breaker(database, worker)
    settle_failed(database, half_open(database, conn, worker), category=category, final=category == "corrupt")
    assert breaker(conn)["state"] == "half_open"
    assert len(claim_committed(database, worker, 5)) == 1


def test_jobs_started_before_the_probe_do_not_change_a_half_open_breaker(
    database: Database, conn: Connection, worker: UUID
) -> None:
    good, bad = open_breaker(database, worker)
    probe = half_open(database, conn, worker)
    settle_done(database, good)
    settle_failed(database, bad, category="network")
    assert (breaker(conn)["state"], breaker(conn)["trips"]) == ("half_open", 1)
    assert claim_committed(database, worker, 5) == []
    settle_done(database, probe)
    assert breaker(conn)["state"] == "closed"


def test_a_document_degraded_by_a_network_failure_is_not_a_success(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    """The job ends as degraded, which is not a failure, but as a probe it must reopen the breaker."""
    conn.execute("DELETE FROM jobs")
    arrive(database, workspace)
    conn.execute("UPDATE jobs SET max_attempts = 1, pool = %s", (POOL,))
    conn.execute("INSERT INTO pool_breakers (pool, state) VALUES (%s, 'half_open')", (POOL,))
    probe = claim_one(database, worker)
    run_until(database, probe, "classify")
    assert fail(database, probe, Retry("network", "Nobody answers."))
    assert (count_rows(conn, "job_history WHERE outcome = 'degraded'"), breaker(conn)["state"]) == (1, "open")


def test_a_degraded_document_without_a_systemic_failure_closes_the_breaker(
    database: Database, conn: Connection, worker: UUID
) -> None:
    open_breaker(database, worker)
    probe = half_open(database, conn, worker)
    with database.transaction() as settling:
        queue.settle(settling, [Completion(probe, "degraded", "ai_content_blocked", "Refused.")])
    assert breaker(conn)["state"] == "closed"


def test_resuming_a_pool_closes_its_breaker_immediately(database: Database, conn: Connection, worker: UUID) -> None:
    open_breaker(database, worker)
    control.resume(conn, "pool", "chunk")
    assert claim_committed(database, worker, 5) == []
    control.resume(conn, "pool", POOL)
    assert len(claim_committed(database, worker, 5)) == 5
    assert (breaker(conn)["state"], breaker(conn)["trips"], breaker(conn)["failures"]) == ("closed", 0, 0)


def test_a_half_open_breaker_of_an_empty_pool_admits_the_next_job_as_probe(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    open_breaker(database, worker)
    conn.execute("DELETE FROM jobs WHERE state = 'pending'")
    conn.execute("UPDATE pool_breakers SET open_until = clock_timestamp()")
    assert claim_committed(database, worker, 5) == []
    insert_jobs(conn, workspace, Tier.LOW, 5)
    assert len(claim_committed(database, worker, 5)) == 1


def test_concurrent_settlements_of_several_pools_do_not_deadlock(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    pools = ["extract", "chunk", "classify"]
    for pool in pools:
        insert_jobs(conn, workspace, Tier.LOW, 400, pool=pool)
        conn.execute("INSERT INTO pool_breakers (pool, failures) VALUES (%s, 1)", (pool,))

    def settle_randomly(seed: int) -> None:
        rng, worker = random.Random(seed), register_worker_committed(database)
        for _ in range(25):
            with database.statement() as mine:
                leases = [lease for pool in pools for lease in queue.claim(mine, pool, worker, 2)]
            outcomes: list[Outcome] = [
                Completion(lease) if rng.random() < 0.7 else Snooze(lease, 0, "network", "Away.")
                for lease in rng.sample(leases, len(leases))
            ]
            with database.transaction() as mine:
                assert len(queue.settle(mine, outcomes)) == len(outcomes)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(settle_randomly, range(4)))
