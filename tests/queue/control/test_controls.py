"""Tests of pauses, caps and rate limits of pools, tiers and workspaces."""

from __future__ import annotations

from collections import Counter
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import BadInput, NotFound
from docyard.model.jobs import Completion, Lease
from docyard.model.tiers import Tier
from docyard.queue import control
from tests.queue.queue_workers import (
    POOL,
    claim_committed,
    claim_in_batches,
    claim_in_four_processes,
    create_workspaces,
    insert_jobs,
    register_worker,
    register_worker_committed,
)


def _fill_tenants(database: Database, tenants: int = 2, each: int = 50) -> list[UUID]:
    with database.transaction() as conn:
        ids = create_workspaces(conn, tenants)
        for workspace in ids:
            for tier in Tier:
                insert_jobs(conn, workspace, tier, each)
    return ids


def _settle(database: Database, leases: list[Lease]) -> None:
    with database.transaction() as conn:
        queue.settle(conn, [Completion(lease) for lease in leases])


@pytest.mark.parametrize("batch", [1, 7])
def test_a_paused_pool_starts_no_jobs_until_it_is_resumed(database: Database, conn: Connection, batch: int) -> None:
    _fill_tenants(database)
    worker = register_worker_committed(database)
    first = claim_committed(database, worker, batch)
    control.pause(conn, "pool", POOL)
    assert claim_committed(database, worker, batch) == []
    control.resume(conn, "pool", POOL)
    later = claim_committed(database, worker, batch)
    assert len(first) == len(later) == batch
    assert not {lease.job_id for lease in first} & {lease.job_id for lease in later}


def test_the_share_of_a_paused_tier_goes_to_the_others(database: Database, conn: Connection) -> None:
    _fill_tenants(database)
    control.pause(conn, "tier", "user_upload")
    claims = Counter(lease.tier for lease in claim_in_batches(database, register_worker_committed(database), 80, 5))
    assert claims == {Tier.BACKGROUND: 60, Tier.LOW: 20}
    control.resume(conn, "tier", "user_upload")
    assert Tier.USER_UPLOAD in {
        lease.tier for lease in claim_committed(database, register_worker_committed(database), 5)
    }


def test_the_share_of_a_paused_workspace_goes_to_the_others(database: Database, conn: Connection) -> None:
    paused, other = _fill_tenants(database)
    control.pause(conn, "workspace", "Workspace 0")
    worker = register_worker_committed(database)
    assert {lease.workspace_id for lease in claim_in_batches(database, worker, 150, 10)} == {other}
    assert claim_committed(database, worker, 10) == []
    control.resume(conn, "workspace", "Workspace 0")
    assert {lease.workspace_id for lease in claim_in_batches(database, worker, 150, 10)} == {paused}


def test_many_paused_workspaces_do_not_hide_an_active_one(database: Database, conn: Connection) -> None:
    ids = _fill_tenants(database, tenants=40, each=2)
    for number in range(39):
        control.pause(conn, "workspace", f"Workspace {number}")
    assert {lease.workspace_id for lease in claim_in_batches(database, register_worker_committed(database), 6, 1)} == {
        ids[39]
    }


def test_the_cap_of_a_pool_applies_to_all_workers(database: Database, conn: Connection) -> None:
    _fill_tenants(database)
    control.limit_pool(conn, POOL, max_running=5, rate=None)
    one, two = register_worker_committed(database), register_worker_committed(database)
    running = claim_committed(database, one, 3) + claim_committed(database, two, 50)
    assert len(running) == 5
    assert claim_committed(database, one, 1) == []
    _settle(database, running[:2])
    assert len(claim_committed(database, two, 50)) == 2
    control.limit_pool(conn, POOL, max_running=None, rate=None)
    assert len(claim_committed(database, one, 20)) == 20


@pytest.mark.parametrize("batch", [1, 4, 50])
def test_the_cap_of_a_workspace_holds_across_its_tiers(database: Database, conn: Connection, batch: int) -> None:
    capped, other = _fill_tenants(database)
    control.limit_workspace(conn, "Workspace 0", max_running=4)
    leases = list(claim_in_batches(database, register_worker_committed(database), 100, batch))
    counted = Counter(lease.workspace_id for lease in leases)
    assert counted == {capped: 4, other: 96}
    _settle(database, [lease for lease in leases if lease.workspace_id == capped][:3])
    # Let the next claim check the lanes that had reached their cap.
    conn.execute("UPDATE pools SET held_checked_at = '-infinity'")
    more = Counter(
        lease.workspace_id for lease in claim_in_batches(database, register_worker_committed(database), 20, batch)
    )
    assert more[capped] == 3


@pytest.mark.parametrize("batch", [1, 5, 50])
@pytest.mark.parametrize("locked", [4, 60])
def test_locked_jobs_do_not_hide_the_others_of_a_capped_workspace(
    database: Database, conn: Connection, batch: int, locked: int
) -> None:
    _fill_tenants(database, tenants=1, each=100)
    control.limit_workspace(conn, "Workspace 0", max_running=4)
    worker = register_worker_committed(database)
    with database.transaction() as other:
        rows = other.execute(
            "SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY tier ORDER BY arrived_at, id) AS place"
            " FROM jobs) AS j WHERE place <= %s",
            (locked,),
        )
        ids = [row["id"] for row in rows]
        other.execute("SELECT FROM jobs WHERE id = ANY (%s) FOR UPDATE", (ids,))
        running = list(claim_in_batches(database, worker, 4, batch))
        assert not {lease.job_id for lease in running} & set(ids)
        assert claim_committed(database, worker, batch) == []
    _settle(database, running[:3])
    assert {lease.job_id for lease in claim_in_batches(database, worker, 3, batch)} <= set(ids)
    assert claim_committed(database, worker, batch) == []


def test_a_rate_limit_admits_the_burst_and_then_refilled_tokens(database: Database, conn: Connection) -> None:
    _fill_tenants(database)
    worker = register_worker_committed(database)
    control.limit_pool(conn, POOL, max_running=None, rate=0.001, burst=6)
    conn.execute("UPDATE pools SET tokens = burst WHERE pool = %s", (POOL,))
    assert [len(claim_committed(database, worker, 4)) for _ in range(3)] == [4, 2, 0]
    conn.execute("UPDATE pools SET refilled_at = now() - interval '3000 seconds' WHERE pool = %s", (POOL,))
    assert [len(claim_committed(database, worker, 4)) for _ in range(2)] == [3, 0]
    conn.execute("UPDATE pools SET refilled_at = now() - interval '1 year' WHERE pool = %s", (POOL,))
    assert [len(claim_committed(database, worker, 50)) for _ in range(2)] == [6, 0]


def test_four_concurrent_processes_never_exceed_a_cap(
    database: Database, conn: Connection, database_address: str
) -> None:
    capped, other = _fill_tenants(database, each=200)
    control.limit_pool(conn, POOL, max_running=37, rate=None)
    control.limit_workspace(conn, "Workspace 0", max_running=11)
    assert claim_in_four_processes(database_address) == 37
    rows = conn.execute("SELECT workspace_id, count(*) AS n FROM jobs WHERE state = 'running' GROUP BY 1").fetchall()
    assert {row["workspace_id"]: row["n"] for row in rows} == {capped: 11, other: 26}


def test_four_concurrent_processes_never_exceed_a_rate(
    database: Database, conn: Connection, database_address: str
) -> None:
    _fill_tenants(database, each=200)
    control.limit_pool(conn, POOL, max_running=None, rate=0.0001, burst=23)
    conn.execute("UPDATE pools SET tokens = burst WHERE pool = %s", (POOL,))
    assert claim_in_four_processes(database_address) == 23


@pytest.mark.parametrize("kind", control.PAUSABLE_KINDS)
def test_pausing_an_unknown_name_raises_not_found(conn: Connection, kind: str) -> None:
    with pytest.raises(NotFound, match=f"no {kind} 'nowhere'"):
        control.pause(conn, kind, "nowhere")


def test_a_limit_of_zero_is_rejected_with_a_message(database: Database, conn: Connection) -> None:
    register_worker(conn)
    with pytest.raises(BadInput, match="greater than zero"):
        control.limit_pool(conn, POOL, max_running=0, rate=None)
    with pytest.raises(BadInput, match="greater than zero"):
        control.limit_pool(conn, POOL, max_running=None, rate=-1)
