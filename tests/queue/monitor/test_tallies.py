"""Tests of tallies: every claim and settlement that commits is counted once."""

from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Completion, JobFailure, NewJob, Outcome, Snooze
from docyard.model.tiers import Tier
from tests.queue.queue_workers import (
    POOL,
    claim_committed,
    claim_one,
    enqueue_committed,
    insert_jobs,
    make_job,
    register_worker_committed,
    settle_done,
    settle_failed,
)

Counts = dict[tuple[str, str], int]


def counts(conn: Connection, pool: str = POOL) -> Counts:
    """Return the number of jobs of a pool in all tiers, by event and category."""
    rows = conn.execute("SELECT event, category, sum(jobs) AS n FROM tallies WHERE pool = %s GROUP BY 1, 2", (pool,))
    return {(row["event"], row["category"]): row["n"] for row in rows}


def waits(conn: Connection) -> dict[Tier, tuple[int, int, int]]:
    """Return, by tier, the number of first claims, their total wait in seconds, and how many were late."""
    rows = conn.execute(
        "SELECT tier, sum(fresh) AS fresh, round(sum(wait_seconds)) AS seconds, sum(late) AS late"
        " FROM tallies WHERE event = 'claimed' GROUP BY tier"
    )
    return {Tier(row["tier"]): (row["fresh"], int(row["seconds"]), row["late"]) for row in rows}


def test_each_outcome_is_counted_under_its_event(database: Database, conn: Connection, workspace: UUID) -> None:
    insert_jobs(conn, workspace, Tier.LOW, 9)
    one, two, three, four, five, six, seven, *_ = claim_committed(database, register_worker_committed(database), 8)
    with database.transaction() as settling:
        queue.settle(
            settling,
            [
                Completion(one),
                Completion(two),
                Completion(three, "degraded", "timeout", "Slow."),
                Completion(four, "cancelled"),
                JobFailure(five, "network", "Away.", final=False, delay=5),
                JobFailure(six, "corrupt", "Torn.", final=True),
                Snooze(seven, 5, "rate_limit", "Later."),
            ],
        )
    assert counts(conn) == {
        ("claimed", ""): 8,
        ("done", ""): 2,
        ("degraded", "timeout"): 1,
        ("cancelled", ""): 1,
        ("retried", "network"): 1,
        ("dead", "corrupt"): 1,
        ("snoozed", "rate_limit"): 1,
    }
    assert counts(conn, "chunk") == {}


def test_a_failure_of_the_last_attempt_counts_as_dead_not_as_retried(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    enqueue_committed(database, make_job(workspace, max_attempts=2))
    worker = register_worker_committed(database)
    for _ in range(2):
        settle_failed(database, claim_one(database, worker), category="crash")
    assert counts(conn) == {("claimed", ""): 2, ("retried", "crash"): 1, ("dead", "crash"): 1}


def test_refused_outcomes_are_not_counted(database: Database, conn: Connection, workspace: UUID) -> None:
    insert_jobs(conn, workspace, Tier.LOW, 6)
    worker = register_worker_committed(database)
    lost = claim_committed(database, worker, 3)
    queue.release_leases(conn, worker)
    before = counts(conn)
    with database.transaction() as settling:
        late: list[Outcome] = [Completion(lost[0]), JobFailure(lost[1], "network", "x", final=False)]
        assert queue.settle(settling, [*late, Snooze(lost[2], 5, "network", "x")]) == set()
    assert not settle_done(database, lost[0])
    assert counts(conn) == before == {("claimed", ""): 3}


def test_rolled_back_transactions_are_not_counted(database: Database, conn: Connection, workspace: UUID) -> None:
    insert_jobs(conn, workspace, Tier.LOW, 6)
    worker = register_worker_committed(database)
    conn.execute("BEGIN")
    queue.claim(conn, POOL, worker, 3)
    conn.execute("ROLLBACK")
    leases = claim_committed(database, worker, 2)
    conn.execute("BEGIN")
    queue.settle(conn, [Completion(lease) for lease in leases])
    conn.execute("ROLLBACK")
    assert counts(conn) == {("claimed", ""): 2}


def test_waiting_for_children_is_counted(database: Database, conn: Connection, workspace: UUID) -> None:
    enqueue_committed(database, make_job(workspace))
    parent = claim_one(database, register_worker_committed(database))
    with database.transaction() as waiting:
        assert queue.wait_for_children(waiting, parent, [NewJob(workspace, "chunk", "t")], seconds=9)
    assert counts(conn)["waited", ""] == 1


@pytest.mark.parametrize("seed", [1, 2])
def test_concurrent_workers_are_counted_exactly(
    database: Database, conn: Connection, workspace: UUID, seed: int
) -> None:
    for tier in Tier:
        insert_jobs(conn, workspace, tier, 60)

    def work_randomly(number: int) -> Counter[tuple[str, str]]:
        rng, worker = random.Random(10 * seed + number), register_worker_committed(database)
        expected: Counter[tuple[str, str]] = Counter()
        for _ in range(20):
            leases = claim_committed(database, worker, 4)
            expected["claimed", ""] += len(leases)
            outcomes: list[Outcome] = []
            for lease in leases:
                event = rng.choice(["done", "retried", "snoozed", "dead"])
                # A failure of the last attempt is final.
                kept = "dead" if event == "retried" and lease.last_attempt else event
                expected[kept, "" if kept == "done" else "crash"] += 1
                ways: dict[str, Outcome] = {
                    "done": Completion(lease),
                    "snoozed": Snooze(lease, 0, "crash", "x"),
                    "retried": JobFailure(lease, "crash", "x", final=False),
                    "dead": JobFailure(lease, "crash", "x", final=True),
                }
                outcomes.append(ways[event])
            with database.transaction() as settling:
                assert len(queue.settle(settling, outcomes)) == len(leases)
        return expected

    with ThreadPoolExecutor(4) as threads:
        expected = sum(threads.map(work_randomly, range(4)), Counter())
    assert counts(conn) == expected


def test_first_claims_record_their_wait_and_missed_objectives(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    for tier in Tier:
        insert_jobs(conn, workspace, tier, 3)
    # In each tier, one job has waited half of the objective, and two have waited 1.5 times the objective.
    conn.execute(
        "UPDATE jobs j SET created_at = now() - t.objective_seconds * w.part * interval '1 second',"
        " arrived_at = now() - interval '1 day'"
        " FROM tiers t, (SELECT id, CASE row_number() OVER (PARTITION BY tier ORDER BY id)"
        " WHEN 1 THEN 0.5 ELSE 1.5 END AS part FROM jobs) w WHERE t.tier = j.tier AND w.id = j.id"
    )
    worker = register_worker_committed(database)
    assert len(claim_committed(database, worker, 9) + claim_committed(database, worker, 9)) == 9
    assert waits(conn) == {Tier.USER_UPLOAD: (3, 210, 2), Tier.BACKGROUND: (3, 420, 2), Tier.LOW: (3, 2100, 2)}


@pytest.mark.parametrize("how", ["retried", "released", "replayed"])
def test_only_the_first_claim_of_a_job_counts_as_fresh(
    database: Database, conn: Connection, workspace: UUID, how: str
) -> None:
    (one,) = enqueue_committed(database, make_job(workspace, tier=Tier.LOW))
    worker = register_worker_committed(database)
    lease = claim_one(database, worker)
    if how == "released":
        queue.release_leases(conn, worker)
    else:
        settle_failed(database, lease, final=how == "replayed")
    if how == "replayed":
        queue.replay(conn, [one])
    conn.execute("UPDATE jobs SET created_at = created_at - interval '1 day', arrived_at = '2020-01-01'")
    claim_one(database, worker)
    assert waits(conn)[Tier.LOW][0] == 1
    assert waits(conn)[Tier.LOW][2] == 0


def test_a_scheduled_job_arrives_when_it_is_due(database: Database, conn: Connection, workspace: UUID) -> None:
    (later,) = enqueue_committed(database, make_job(workspace, tier=Tier.LOW, delay_seconds=7200))
    row = conn.execute("SELECT arrived_at = run_at AS same FROM jobs").fetchone()
    assert row == {"same": True}
    conn.execute("UPDATE jobs SET created_at = created_at - interval '2 hours 5 seconds'")
    conn.execute(
        "UPDATE jobs SET arrived_at = arrived_at - interval '2 hours 5 seconds', run_at = run_at"
        " - interval '2 hours 5 seconds'"
    )
    insert_jobs(conn, workspace, Tier.LOW, 1)
    conn.execute("UPDATE jobs SET arrived_at = now() - interval '1 minute' WHERE id <> %s", (later,))
    queue.promote_due(conn)
    first, second = claim_committed(database, register_worker_committed(database), 2)
    assert second.job_id == later
    assert first.job_id != later
    assert waits(conn)[Tier.LOW] == (2, 5, 0)
