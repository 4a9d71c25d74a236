"""Tests of the order of claims within a lane, and of claims past empty lanes and locked jobs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Completion, JobFailure, Lease, Outcome, Snooze
from docyard.model.tiers import Tier
from tests.queue.queue_workers import (
    POOL,
    claim_committed,
    claim_one,
    create_workspaces,
    enqueue_committed,
    get_state,
    insert_jobs,
    make_job,
    register_worker,
    register_worker_committed,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    positions=st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 5)), min_size=1, max_size=12),
    batch=st.integers(1, 15),
)
def test_a_lane_is_served_by_priority_then_arrival(
    database: Database, workspace: UUID, positions: list[tuple[int, int]], batch: int
) -> None:
    jobs = [
        make_job(workspace, priority=priority, arrived_at=NOON + timedelta(seconds=second))
        for priority, second in positions
    ]
    worker = register_worker_committed(database)
    ids = enqueue_committed(database, *jobs)
    served: list[Lease] = []
    while leases := claim_committed(database, worker, batch):
        served += leases
    with database.transaction() as conn:
        queue.settle(conn, [Completion(lease) for lease in served])
    assert [(lease.priority, lease.arrived_at) for lease in served] == sorted(
        (new.priority, new.arrived_at) for new in jobs
    )
    assert {lease.job_id for lease in served} == set(ids)


def test_a_claim_records_worker_start_and_deadline(database: Database, conn: Connection, workspace: UUID) -> None:
    enqueue_committed(database, make_job(workspace))
    worker = register_worker_committed(database)
    lease = claim_one(database, worker)
    (row,) = conn.execute(
        "SELECT state, attempts, fence, worker_id, now() - started_at < interval '1 minute' AS just_now,"
        " extract(epoch FROM deadline_at - started_at)::integer AS seconds FROM jobs"
    ).fetchall()
    assert row == {"state": "running", "attempts": 1, "fence": 1, "worker_id": worker, "just_now": True, "seconds": 660}
    assert (lease.attempts, lease.fence, lease.worker_id) == (1, 1, worker)


def test_tiers_are_ordered_by_number_not_by_name(conn: Connection, workspace: UUID) -> None:
    """In order of name, background would precede user_upload."""
    for tier in reversed(Tier):
        insert_jobs(conn, workspace, tier, 1)
    conn.execute("SET enable_seqscan = off")
    conn.execute("SET enable_sort = off")
    ordered = "SELECT tier FROM jobs WHERE pool = %s AND state = 'pending' ORDER BY tier"
    plan = conn.execute(f"EXPLAIN {ordered}".encode(), (POOL,)).fetchall()
    assert "jobs_pending" in str(plan)
    assert "Sort" not in str(plan)
    rows = conn.execute(ordered.encode(), (POOL,)).fetchall()
    names = conn.execute("SELECT tier, name FROM tiers ORDER BY tier").fetchall()
    assert [row["tier"] for row in rows] == [row["tier"] for row in names] == [0, 1, 2]
    assert [row["name"] for row in names] == ["user_upload", "background", "low"]


@pytest.mark.parametrize("how", ["retried", "snoozed", "released"])
def test_a_returned_job_is_served_before_later_arrivals(database: Database, workspace: UUID, how: str) -> None:
    worker = register_worker_committed(database)
    (first,) = enqueue_committed(database, make_job(workspace, arrived_at=NOON))
    lease = claim_one(database, worker)
    enqueue_committed(database, make_job(workspace, arrived_at=NOON + timedelta(seconds=1)))
    with database.transaction() as conn:
        outcomes: dict[str, Outcome] = {
            "retried": JobFailure(lease, "network", "down", final=False),
            "snoozed": Snooze(lease, 0, "rate_limit", "later"),
        }
        if how in outcomes:
            assert queue.settle(conn, [outcomes[how]]) == {first}
        else:
            queue.release_leases(conn, worker)
    assert claim_one(database, worker).job_id == first


@pytest.mark.parametrize("batch", [1, 3, 10, 50])
@pytest.mark.parametrize("tiers", [[Tier.BACKGROUND], list(Tier)])
def test_empty_lanes_do_not_hide_pending_jobs_of_later_lanes(
    database: Database, conn: Connection, batch: int, tiers: list[Tier]
) -> None:
    worker = register_worker(conn)
    conn.execute("INSERT INTO workspaces (name) SELECT 'Many ' || n FROM generate_series(1, 300) AS n")
    for tier in tiers:
        conn.execute(
            "INSERT INTO lanes (pool, tier, workspace_id, vtime) SELECT %s, %s, id, 1 FROM workspaces",
            (POOL, int(tier)),
        )
    (last,) = create_workspaces(conn, 1)
    conn.execute("INSERT INTO lanes (pool, tier, workspace_id, vtime) VALUES (%s, 1, %s, 99)", (POOL, last))
    insert_jobs(conn, last, Tier.BACKGROUND, 1)
    # No sweep is due, so the claim can find the lane only by reading more lanes.
    conn.execute("UPDATE pools SET swept_at = now(), sweep_cost = '1 day'")
    (lease,) = claim_committed(database, worker, batch)
    assert lease.workspace_id == last


@pytest.mark.parametrize("batch", [1, 5])
@pytest.mark.parametrize("locked", [1, 3, 40])
def test_a_claim_skips_a_row_locked_by_another_transaction(
    database: Database, conn: Connection, workspace: UUID, batch: int, locked: int
) -> None:
    worker = register_worker(conn)
    insert_jobs(conn, workspace, Tier.BACKGROUND, locked + 5)
    first = [
        row["id"] for row in conn.execute("SELECT id FROM jobs ORDER BY priority, arrived_at, id LIMIT %s", (locked,))
    ]
    with database.transaction() as other:
        other.execute("SELECT FROM jobs WHERE id = ANY (%s) FOR UPDATE", (first,))
        free: list[UUID] = []
        while leases := claim_committed(database, worker, batch):
            free += [lease.job_id for lease in leases]
        assert len(free) == 5
        assert not set(free) & set(first)
    assert {lease.job_id for lease in claim_committed(database, worker, 100)} == set(first)


def test_a_lane_of_locked_jobs_does_not_block_other_lanes(
    database: Database, conn: Connection, workspace: UUID, other_workspace: UUID
) -> None:
    worker = register_worker(conn)
    insert_jobs(conn, workspace, Tier.BACKGROUND, 20)
    insert_jobs(conn, other_workspace, Tier.BACKGROUND, 3)
    with database.transaction() as other:
        other.execute("SELECT FROM jobs WHERE workspace_id = %s FOR UPDATE", (workspace,))
        assert [claim_one(database, worker).workspace_id for _ in range(3)] == [other_workspace] * 3


def test_an_open_enqueueing_transaction_does_not_block_claims(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = register_worker(conn)
    enqueue_committed(database, make_job(workspace))
    with database.transaction() as other:
        queue.enqueue(other, [make_job(workspace), make_job(workspace, tier=Tier.USER_UPLOAD)])
        conn.execute("SET lock_timeout = '5s'")
        assert len(queue.claim(conn, POOL, worker, 10)) == 1
        assert queue.claim(conn, POOL, worker, 10) == []
    assert len(queue.claim(conn, POOL, worker, 10)) == 2


def test_an_uncommitted_claim_does_not_block_enqueueing(database: Database, conn: Connection, workspace: UUID) -> None:
    worker = register_worker(conn)
    enqueue_committed(database, make_job(workspace))
    with database.transaction() as other:
        assert len(queue.claim(other, POOL, worker, 1)) == 1
        conn.execute("SET lock_timeout = '5s'")
        queue.enqueue(conn, [make_job(workspace)])
    assert len(claim_committed(database, worker, 5)) == 1


def test_a_job_in_a_new_lane_is_found_by_the_next_sweep(
    database: Database, conn: Connection, workspace: UUID, other_workspace: UUID
) -> None:
    worker = register_worker(conn)
    insert_jobs(conn, workspace, Tier.BACKGROUND, 50)
    with database.transaction() as claiming:
        assert len(queue.claim(claiming, POOL, worker, 1)) == 1
        enqueue_committed(database, make_job(other_workspace))
    # Move the last sweep into the past, so that the next claim sweeps.
    conn.execute("UPDATE pools SET swept_at = swept_at - interval '1 hour'")
    assert other_workspace in [lease.workspace_id for lease in claim_committed(database, worker, 2)]


def test_an_idle_pool_finds_a_new_lane_immediately(
    database: Database, conn: Connection, workspace: UUID, other_workspace: UUID
) -> None:
    worker = register_worker(conn)
    enqueue_committed(database, make_job(workspace))
    claim_one(database, worker)
    conn.execute("UPDATE pools SET swept_at = now(), sweep_cost = '1 day'")
    enqueue_committed(database, make_job(other_workspace))
    assert claim_one(database, worker).workspace_id == other_workspace


@pytest.mark.parametrize("limit", [8, 1000, 1_000_000])
def test_a_claim_larger_than_the_queue_returns_all_jobs(
    database: Database, conn: Connection, workspace: UUID, other_workspace: UUID, limit: int
) -> None:
    worker = register_worker(conn)
    insert_jobs(conn, workspace, Tier.BACKGROUND, 5)
    insert_jobs(conn, other_workspace, Tier.LOW, 2)
    assert len(claim_committed(database, worker, limit)) == 7
    assert claim_committed(database, worker, limit) == []


@pytest.mark.parametrize("limit", [0, -1])
def test_a_claim_of_no_jobs_returns_none(database: Database, workspace: UUID, limit: int) -> None:
    (waiting,) = enqueue_committed(database, make_job(workspace))
    assert claim_committed(database, register_worker_committed(database), limit) == []
    with database.transaction() as conn:
        assert get_state(conn, waiting) == "pending"


def test_a_claim_returns_only_jobs_of_its_pool(database: Database, conn: Connection, workspace: UUID) -> None:
    worker = register_worker(conn)
    insert_jobs(conn, workspace, Tier.BACKGROUND, 3, pool="chunk")
    assert claim_committed(database, worker, 10) == []
    assert len(queue.claim(conn, "chunk", worker, 10)) == 3


def test_a_claim_from_an_unknown_pool_returns_none(conn: Connection) -> None:
    assert queue.claim(conn, "no such pool", register_worker(conn), 1) == []
