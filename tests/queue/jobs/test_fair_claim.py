"""Tests of the fair claim: shares of tiers, equal shares of workspaces, and no credit for idle time."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from docyard.db import Database
from docyard.model.jobs import Lease
from docyard.model.tiers import Tier
from tests.queue.queue_workers import (
    claim_committed,
    claim_in_batches,
    compute_tier_shares,
    compute_workspace_shares,
    create_workspaces,
    insert_jobs,
    register_worker,
    register_worker_committed,
)

SHARES = {Tier.USER_UPLOAD: 60, Tier.BACKGROUND: 30, Tier.LOW: 10}
TOTAL = 1000
POINTS = 2.0
BATCHES = [1, 3, 10, 50]


def fill_tiers(database: Database, tiers: Iterable[Tier] = Tier, *, tenants: int = 3, each: int = 1000) -> None:
    with database.transaction() as conn:
        for workspace in create_workspaces(conn, tenants):
            for tier in tiers:
                insert_jobs(conn, workspace, tier, each)


def assert_shares(leases: list[Lease], shares: dict[Tier, float] | dict[Tier, int]) -> None:
    assert compute_tier_shares(leases) == pytest.approx({tier: shares.get(tier, 0) for tier in Tier}, abs=POINTS)


@pytest.mark.parametrize("batch", BATCHES)
def test_tiers_receive_their_shares(database: Database, batch: int) -> None:
    fill_tiers(database)
    leases = list(claim_in_batches(database, register_worker_committed(database), TOTAL, batch))
    assert_shares(leases, SHARES)
    assert len({lease.job_id for lease in leases}) == TOTAL


@pytest.mark.parametrize("batch", [1, 3, 10])
def test_uploads_do_not_wait_for_a_hundred_background_jobs(database: Database, batch: int) -> None:
    with database.transaction() as conn:
        background, uploader = create_workspaces(conn, 2)
        insert_jobs(conn, background, Tier.BACKGROUND, 100)
    worker = register_worker_committed(database)
    list(claim_in_batches(database, worker, 20, batch))
    with database.transaction() as conn:
        insert_jobs(conn, uploader, Tier.USER_UPLOAD, 3)
        # Let the next claim sweep, because only a sweep finds the new lane.
        conn.execute("UPDATE pools SET swept_at = '-infinity'")
    following = list(claim_in_batches(database, worker, 10, batch))
    positions = [position for position, lease in enumerate(following) if lease.tier is Tier.USER_UPLOAD]
    assert len(positions) == 3
    assert max(positions) < 6
    rest = list(claim_in_batches(database, worker, 73, batch))
    assert {lease.tier for lease in rest} == {Tier.BACKGROUND}


@pytest.mark.parametrize("batch", BATCHES)
def test_concurrent_claims_keep_the_shares_and_never_share_a_job(database: Database, batch: int) -> None:
    fill_tiers(database)
    together = Barrier(4)

    def claim_share(_: int) -> list[Lease]:
        worker = register_worker_committed(database)
        together.wait(timeout=30)
        return list(claim_in_batches(database, worker, TOTAL // 4, batch))

    with ThreadPoolExecutor(4) as threads:
        leases = [lease for claimed in threads.map(claim_share, range(4)) for lease in claimed]
    assert_shares(leases, SHARES)
    assert len({lease.job_id for lease in leases}) == TOTAL


@pytest.mark.parametrize("batch", BATCHES)
def test_a_workspace_with_many_jobs_gets_no_more_than_its_share(database: Database, batch: int) -> None:
    with database.transaction() as conn:
        flooding, *others = create_workspaces(conn, 3)
        insert_jobs(conn, flooding, Tier.BACKGROUND, 5000)
        for workspace in others:
            insert_jobs(conn, workspace, Tier.BACKGROUND, 500)
    leases = list(claim_in_batches(database, register_worker_committed(database), TOTAL, batch))
    assert compute_workspace_shares(leases) == pytest.approx(dict.fromkeys([flooding, *others], 100 / 3), abs=POINTS)


@pytest.mark.parametrize(
    ("tiers", "shares"),
    [
        ((Tier.USER_UPLOAD, Tier.BACKGROUND), {Tier.USER_UPLOAD: 200 / 3, Tier.BACKGROUND: 100 / 3}),
        ((Tier.USER_UPLOAD, Tier.LOW), {Tier.USER_UPLOAD: 600 / 7, Tier.LOW: 100 / 7}),
        ((Tier.BACKGROUND, Tier.LOW), {Tier.BACKGROUND: 75, Tier.LOW: 25}),
        ((Tier.LOW,), {Tier.LOW: 100}),
    ],
)
@pytest.mark.parametrize("batch", [1, 10])
def test_the_share_of_an_empty_tier_is_divided_by_weight(
    database: Database, tiers: tuple[Tier, ...], shares: dict[Tier, float], batch: int
) -> None:
    fill_tiers(database, tiers)
    assert_shares(list(claim_in_batches(database, register_worker_committed(database), TOTAL, batch)), shares)


@pytest.mark.parametrize("batch", BATCHES)
def test_an_idle_tier_accumulates_no_credit(database: Database, batch: int) -> None:
    fill_tiers(database, [Tier.LOW], each=1000)
    worker = register_worker_committed(database)
    list(claim_in_batches(database, worker, TOTAL, batch))
    fill_tiers(database, [Tier.USER_UPLOAD], each=1000)
    allow_sweep(database)
    leases = list(claim_in_batches(database, worker, TOTAL, batch))
    assert_shares(leases, {Tier.USER_UPLOAD: 600 / 7, Tier.LOW: 100 / 7})


@pytest.mark.parametrize("batch", BATCHES)
def test_an_idle_workspace_accumulates_no_credit(database: Database, batch: int) -> None:
    with database.transaction() as conn:
        steady, absent = create_workspaces(conn, 2)
        insert_jobs(conn, steady, Tier.LOW, 3000)
        insert_jobs(conn, absent, Tier.LOW, 1)
        worker = register_worker(conn)
    list(claim_in_batches(database, worker, TOTAL, batch))
    with database.transaction() as conn:
        insert_jobs(conn, absent, Tier.LOW, 1000)
    allow_sweep(database)
    leases = list(claim_in_batches(database, worker, TOTAL, batch))
    assert compute_workspace_shares(leases) == pytest.approx({steady: 50, absent: 50}, abs=POINTS)


@pytest.mark.parametrize("batch", BATCHES)
def test_a_tier_with_one_full_lane_and_many_short_ones_gets_its_share(database: Database, batch: int) -> None:
    with database.transaction() as conn:
        full, *trickling = create_workspaces(conn, 10)
        insert_jobs(conn, full, Tier.USER_UPLOAD, 2000)
        insert_jobs(conn, full, Tier.LOW, 2000)
        worker = register_worker(conn)
    leases: list[Lease] = []
    while len(leases) < TOTAL:
        with database.transaction() as conn:
            for workspace in trickling:
                insert_jobs(conn, workspace, Tier.USER_UPLOAD, 1)
        leases += claim_committed(database, worker, batch)
    assert_shares(leases, {Tier.USER_UPLOAD: 600 / 7, Tier.LOW: 100 / 7})


def allow_sweep(database: Database) -> None:
    """Let the next claim sweep for new lanes, as if the last sweep was long ago."""
    with database.transaction() as conn:
        conn.execute("UPDATE pools SET swept_at = '-infinity'")
