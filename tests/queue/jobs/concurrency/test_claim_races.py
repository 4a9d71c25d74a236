"""Tests of claims that wait while a limit is set, and of claims after a restore."""

from __future__ import annotations

import threading
from uuid import UUID

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Lease
from docyard.model.tiers import Tier
from tests.queue.queue_workers import (
    POOL,
    claim_committed,
    claim_one,
    insert_jobs,
    register_worker_committed,
    settle_done,
)
from tests.worker.worker_runs import wait_until

_WAITS = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'advisory'"


def test_a_claim_obeys_a_limit_that_was_set_while_it_waited(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = register_worker_committed(database)
    insert_jobs(conn, workspace, Tier.LOW, 5)
    claimed: list[Lease] = []
    with database.transaction() as other:
        other.execute("SELECT pg_advisory_xact_lock(1685285993, hashtext(%s))", (POOL,))
        claimer = threading.Thread(target=lambda: claimed.extend(claim_committed(database, worker, 5)))
        claimer.start()
        wait_until(lambda: conn.execute(_WAITS).fetchone() is not None, "the claim to wait")
        conn.execute("INSERT INTO workspace_limits (workspace_id, paused) VALUES (%s, true)", (workspace,))
    claimer.join()
    assert claimed == []


def test_claims_find_new_jobs_after_a_restore_to_lower_transaction_ids(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = register_worker_committed(database)
    insert_jobs(conn, workspace, Tier.LOW, 1)
    settle_done(database, claim_one(database, worker))
    conn.execute("UPDATE arrival_reads SET read_to = (read_to::text::bigint + 1000000)::text::xid8, unfinished = '{}'")
    for _ in range(2):
        insert_jobs(conn, workspace, Tier.LOW, 1)
        assert queue.find_pools_with_jobs(conn, [POOL]) == [POOL]
        settle_done(database, claim_one(database, worker))
    assert conn.execute("SELECT FROM arrivals").fetchall() == []
