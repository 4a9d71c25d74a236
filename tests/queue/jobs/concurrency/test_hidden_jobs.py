"""Tests that the cost of claims does not depend on jobs that no claim can see, and that no job is overlooked.

Jobs of open transactions, and settled jobs that an old snapshot still needs, have entries in the index of pending
jobs. The server counts the entries that a transaction has read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.tiers import Tier
from tests.queue.queue_workers import (
    POOL,
    claim_committed,
    create_workspaces,
    enqueue_committed,
    insert_jobs,
    make_job,
    register_worker_committed,
    settle_done,
)

HIDDEN = 3_000
BATCH = 10
MOST_ENTRIES = 20 * BATCH
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def worker(database: Database) -> UUID:
    return register_worker_committed(database)


@pytest.fixture(autouse=True)
def _no_vacuum(conn: Connection) -> None:
    conn.execute("ALTER TABLE jobs SET (autovacuum_enabled = false)")


def get_entries_read(conn: Connection, index: str) -> int:
    """Return a counter of the entries of an index that the session has read."""
    row = conn.execute("SELECT pg_stat_get_xact_tuples_returned(%s::regclass) AS n", (index,)).fetchone()
    assert row
    return int(row["n"])


def count_entries_read(database: Database, index: str, act: str, worker: UUID) -> int:
    """Claim a batch or look for pools with jobs; return how many entries of the index this read."""
    with database.transaction() as conn:
        before = get_entries_read(conn, index)
        if act == "claim":
            assert queue.claim(conn, POOL, worker, BATCH)
        else:
            assert queue.find_pools_with_jobs(conn, [POOL]) == [POOL]
        return get_entries_read(conn, index) - before


@contextmanager
def uncommitted_jobs(database: Database, workspace: UUID, arrived_at: datetime) -> Iterator[Connection]:
    """Insert many jobs in all tiers in a transaction that stays open."""
    with database.connect() as other:
        other.execute("BEGIN")
        other.execute(
            "INSERT INTO jobs (workspace_id, pool, tier, type, arrived_at)"
            " SELECT %s, %s, n %% 3, 'test', %s FROM generate_series(1, %s) AS n",
            (workspace, POOL, arrived_at, HIDDEN),
        )
        yield other


@pytest.mark.parametrize("same_lanes", [True, False], ids=["the same lanes", "new lanes"])
def test_uncommitted_jobs_do_not_make_claims_slower(
    database: Database, conn: Connection, workspace: UUID, worker: UUID, *, same_lanes: bool
) -> None:
    for tier in Tier:
        insert_jobs(conn, workspace, tier, 200)
    claim_committed(database, worker, BATCH)
    other = workspace if same_lanes else create_workspaces(conn, 1)[0]
    with uncommitted_jobs(database, other, LONG_AGO) as session:
        for _ in range(3):
            claim_committed(database, worker, BATCH)  # each lane is read past the uncommitted jobs once
        for act in ("claim", "find pools", "claim"):
            assert count_entries_read(database, "jobs_pending", act, worker) <= MOST_ENTRIES
        session.execute("COMMIT")
    served = claim_committed(database, worker, BATCH)
    # They arrived first. In lanes of their own, they share with the others.
    assert sum(lease.arrived_at == LONG_AGO for lease in served) >= BATCH // (1 if same_lanes else 3)


def test_uncommitted_jobs_do_not_make_an_idle_pool_slower(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    claim_committed(database, worker, BATCH)
    with uncommitted_jobs(database, workspace, LONG_AGO):
        for _ in range(3):
            with database.transaction() as session:
                before = get_entries_read(session, "jobs_pending")
                assert queue.claim(session, POOL, worker, BATCH) == []
                assert queue.find_pools_with_jobs(session, [POOL]) == []
                assert get_entries_read(session, "jobs_pending") == before


def test_an_old_snapshot_does_not_make_claims_slower(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    with database.connect() as reader:
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT FROM jobs").fetchall()
        for _ in range(40):
            enqueue_committed(database, *(make_job(workspace, tier=Tier(n % 3)) for n in range(60)))
            settle_done(database, *claim_committed(database, worker, 50))
        for index in ("jobs_pending", "lanes_next", "lanes_newest", "pool_tiers_newest", "arrivals_pkey"):
            assert count_entries_read(database, index, "claim", worker) <= MOST_ENTRIES
            assert count_entries_read(database, index, "find pools", worker) <= MOST_ENTRIES


TRANSACTIONS = 3
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("enqueue"), st.integers(0, TRANSACTIONS - 1), st.integers(-2, 2), st.integers(0, 3)),
        st.tuples(st.sampled_from(["commit", "rollback"]), st.integers(0, TRANSACTIONS - 1)),
        st.tuples(st.just("claim"), st.integers(1, 4)),
        st.tuples(st.just("claim and enqueue"), st.integers(-2, 2), st.integers(0, 3)),
    ),
    min_size=5,
    max_size=40,
)


class OpenTransactions:
    """Several open transactions that enqueue jobs into one lane, and the jobs that a claim must see."""

    def __init__(self, database: Database, workspace: UUID, worker: UUID) -> None:
        self.database, self.workspace, self.worker = database, workspace, worker
        self.sessions = [database.connect() for _ in range(TRANSACTIONS)]
        self.added: list[dict[UUID, tuple[int, datetime]]] = [{} for _ in range(TRANSACTIONS)]
        self.pending: dict[UUID, tuple[int, datetime]] = {}

    def add(self, conn: Connection, priority: int, second: int) -> dict[UUID, tuple[int, datetime]]:
        position = (priority, LONG_AGO + timedelta(seconds=second))
        jobs = [make_job(self.workspace, priority=position[0], arrived_at=position[1])]
        return dict.fromkeys(queue.enqueue(conn, jobs), position)

    def enqueue(self, number: int, priority: int, second: int) -> None:
        if not self.added[number]:
            self.sessions[number].execute("BEGIN")
        self.added[number] |= self.add(self.sessions[number], priority, second)

    def end(self, number: int, how: str) -> None:
        if not self.added[number]:
            return
        self.sessions[number].execute(how.encode())
        if how == "commit":
            self.pending |= self.added[number]
        self.added[number] = {}

    def claim(self, conn: Connection, limit: int) -> None:
        leases = queue.claim(conn, POOL, self.worker, limit)
        assert [lease.job_id for lease in leases] == sorted(self.pending, key=self.place)[:limit]
        for lease in leases:
            del self.pending[lease.job_id]

    def place(self, job_id: UUID) -> tuple[int, datetime, UUID]:
        return (*self.pending[job_id], job_id)

    def claim_and_enqueue(self, priority: int, second: int) -> None:
        with self.database.transaction() as conn:
            self.pending |= self.add(conn, priority, second)
            self.claim(conn, 1)
            self.pending |= self.add(conn, priority, second)

    def close(self) -> None:
        for session in self.sessions:
            session.close()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(actions=ACTIONS)
def test_claims_see_every_committed_job_in_order_without_a_sweep(
    database: Database, conn: Connection, workspace: UUID, worker: UUID, actions: list[tuple[Any, ...]]
) -> None:
    conn.execute("TRUNCATE jobs")
    conn.execute("UPDATE pools SET swept_at = clock_timestamp(), sweep_cost = '1 day'")
    queue_users = OpenTransactions(database, workspace, worker)
    for act, *values in actions:
        match act:
            case "enqueue":
                queue_users.enqueue(*values)
            case "claim":
                queue_users.claim(conn, *values)
            case "claim and enqueue":
                queue_users.claim_and_enqueue(*values)
            case _:
                queue_users.end(values[0], act)
    for number in range(TRANSACTIONS):
        queue_users.end(number, "commit")
    queue_users.claim(conn, 100)
    queue_users.close()


def test_a_sweep_finds_jobs_that_arrivals_do_not_tell(
    database: Database, conn: Connection, workspace: UUID, worker: UUID
) -> None:
    """For example, transaction ids are lower after the database was restored to another server."""
    enqueue_committed(database, make_job(workspace, arrived_at=LONG_AGO), make_job(workspace))
    claim_committed(database, worker)
    early = make_job(workspace, priority=-5, arrived_at=LONG_AGO)
    enqueue_committed(database, early, make_job(workspace, tier=Tier.LOW))
    conn.execute("DELETE FROM arrivals")
    assert claim_committed(database, worker)[0].priority == 100
    conn.execute("UPDATE pools SET swept_at = clock_timestamp() + interval '1 hour'")
    assert sorted(lease.priority for lease in claim_committed(database, worker, 5)) == [-5, 100]
