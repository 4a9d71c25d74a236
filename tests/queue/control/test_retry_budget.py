"""Tests of retry budgets."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import BadInput, NotFound
from docyard.model.failures import CATEGORIES
from docyard.model.jobs import JobFailure, Lease, Snooze
from docyard.model.tiers import Tier
from docyard.queue import control
from docyard.queue.control.limits import DEFAULT_PERIOD_MINUTES, DEFAULT_RETRIES
from tests.queue.queue_workers import (
    claim_committed,
    count_rows,
    create_workspaces,
    insert_jobs,
    register_worker,
    register_worker_committed,
    settle_failed,
)

HOUR = timedelta(hours=1)


def budget(conn: Connection, workspace: UUID) -> dict[str, Any]:
    query = "SELECT most, period, spent FROM retry_budgets WHERE workspace_id = %s"
    found = conn.execute(query, (workspace,)).fetchone()
    assert found
    return found


def periods(conn: Connection, workspace: UUID) -> Counter[int]:
    """Return the number of retries of a workspace in each period; period 0 is the current one."""
    rows = conn.execute(
        "SELECT round(extract(epoch FROM run_at - clock_timestamp()) / 3600) AS later FROM jobs"
        " WHERE workspace_id = %s AND state IN ('pending', 'scheduled') AND attempts > 0",
        (workspace,),
    )
    return Counter(int(row["later"] or 0) for row in rows)


def fail_all(address: str, go: Any, results: Any) -> None:
    """Claim jobs in small batches and let them fail until none is pending; runs in its own process."""
    database = Database(lambda: address, size=1)
    worker = register_worker_committed(database)
    go.wait()
    settled = 0
    while leases := claim_committed(database, worker, 3):
        settled += len(fail_with_delay(database, leases))
    results.put(settled)
    database.close()


def fail_with_delay(database: Database, leases: list[Lease]) -> set[UUID]:
    with database.transaction() as conn:
        return queue.settle(conn, [JobFailure(one, "timeout", "Slow.", final=False, delay=5) for one in leases])


def test_four_concurrent_processes_share_the_budget_exactly(
    database: Database, conn: Connection, workspace: UUID, database_address: str
) -> None:
    control.limit_retries(conn, "Main", retries=10)
    insert_jobs(conn, workspace, Tier.LOW, 47)
    spawn = multiprocessing.get_context("spawn")
    go, results = spawn.Barrier(4), spawn.Queue()
    processes = [spawn.Process(target=fail_all, args=(database_address, go, results)) for _ in range(4)]
    for process in processes:
        process.start()
    assert sum(results.get(timeout=60) for _ in processes) == 47
    for process in processes:
        process.join(30)
    assert periods(conn, workspace) == {0: 10, 1: 10, 2: 10, 3: 10, 4: 7}
    assert budget(conn, workspace)["spent"] == 7
    assert count_rows(conn, "jobs WHERE attempts = 1 AND state = 'scheduled'") == 47


def test_concurrent_first_retries_of_a_workspace_are_all_counted(database: Database, conn: Connection) -> None:
    """The budget does not exist yet, so all four transactions try to create it."""
    worker = register_worker_committed(database)
    spent = []
    for tenant in create_workspaces(conn, 12):
        insert_jobs(conn, tenant, Tier.LOW, 4)
        leases, together = claim_committed(database, worker, 4), Barrier(4)

        def fail(lease: Lease, together: Barrier = together) -> None:
            together.wait()
            fail_with_delay(database, [lease])

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(fail, leases))
        spent.append(budget(conn, tenant)["spent"])
    assert spent == [4] * 12


def test_a_new_period_starts_after_one_has_expired(database: Database, conn: Connection, workspace: UUID) -> None:
    control.limit_retries(conn, "Main", retries=2)
    insert_jobs(conn, workspace, Tier.LOW, 5)
    fail_with_delay(database, claim_committed(database, register_worker_committed(database), 3))
    assert budget(conn, workspace)["spent"] == 1  # charged to the next period
    conn.execute("UPDATE retry_budgets SET period_began = period_began - interval '130 minutes'")
    conn.execute("DELETE FROM jobs WHERE state = 'scheduled'")
    fail_with_delay(database, claim_committed(database, register_worker_committed(database), 2))
    assert periods(conn, workspace) == {0: 2}
    assert budget(conn, workspace)["spent"] == 2


def test_a_postponed_retry_is_recorded_and_runs_in_its_period(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    control.limit_retries(conn, "Main", retries=1)
    insert_jobs(conn, workspace, Tier.LOW, 2)
    worker = register_worker_committed(database)
    fail_with_delay(database, claim_committed(database, worker, 2))
    granted, postponed = conn.execute("SELECT * FROM jobs ORDER BY run_at").fetchall()
    assert "postponed_until" not in granted["failure_history"][-1]
    last_failure = postponed["failure_history"][-1]
    assert (last_failure["category"], last_failure["attempt"], last_failure["message"]) == ("timeout", 1, "Slow.")
    assert datetime.fromisoformat(last_failure["postponed_until"]) == postponed["run_at"]
    conn.execute("UPDATE jobs SET run_at = run_at - interval '1 hour'")
    queue.promote_due(conn)
    assert [lease.attempts for lease in claim_committed(database, worker, 2)] == [2, 2]


def test_a_retry_without_delay_is_postponed_too(database: Database, conn: Connection, workspace: UUID) -> None:
    control.limit_retries(conn, "Main", retries=1)
    insert_jobs(conn, workspace, Tier.LOW, 3)
    settle_failed(database, *claim_committed(database, register_worker_committed(database), 3), category="timeout")
    assert count_rows(conn, "jobs WHERE state = 'pending'") == 1
    assert periods(conn, workspace) == {0: 1, 1: 1, 2: 1}


def test_only_failures_of_docyard_itself_are_not_charged() -> None:
    free = {name for name, category in CATEGORIES.items() if not category.charged}
    assert free == {"worker_lost", "database", "locked", "storage"}


@pytest.mark.parametrize("how", ["worker_lost", "database", "snoozed", "final", "exhausted", "refused"])
def test_uncharged_outcomes_do_not_use_the_budget(
    database: Database, conn: Connection, workspace: UUID, how: str
) -> None:
    control.limit_retries(conn, "Main", retries=2)
    insert_jobs(conn, workspace, Tier.LOW, 6)
    if how == "exhausted":
        conn.execute("UPDATE jobs SET max_attempts = 1")
    worker = register_worker_committed(database)
    leases = claim_committed(database, worker, 6)
    if how == "refused":
        queue.release_leases(conn, worker)
    with database.transaction() as settling:
        for lease in leases:
            if how == "snoozed":
                queue.settle(settling, [Snooze(lease, 5, "rate_limit", "Later.")])
            else:
                category = how if how in CATEGORIES else "timeout"
                queue.settle(settling, [JobFailure(lease, category, "x", final=how == "final")])
    assert budget(conn, workspace)["spent"] == 0
    assert count_rows(conn, "jobs WHERE run_at > now() + interval '1 minute'") == 0


def test_one_batch_charges_each_workspace_separately(database: Database, conn: Connection) -> None:
    poor, rich = create_workspaces(conn, 2)
    control.limit_retries(conn, "Workspace 0", retries=2)
    for tenant in (poor, rich):
        insert_jobs(conn, tenant, Tier.LOW, 5)
    leases = claim_committed(database, register_worker_committed(database), 10)
    free = [one for one in leases if one.workspace_id == rich][:2]
    with database.transaction() as settling:
        queue.settle(
            settling,
            [JobFailure(one, "worker_lost" if one in free else "timeout", "x", final=False, delay=5) for one in leases],
        )
    assert periods(conn, poor) == {0: 2, 1: 2, 2: 1}
    assert periods(conn, rich) == {0: 5}
    assert (budget(conn, poor)["spent"], budget(conn, rich)["spent"]) == (1, 3)


def test_the_earliest_jobs_get_the_retries_of_the_current_period(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    control.limit_retries(conn, "Main", retries=1)
    insert_jobs(conn, workspace, Tier.LOW, 3)
    leases = claim_committed(database, register_worker_committed(database), 3)
    fail_with_delay(database, list(reversed(leases)))
    rows = conn.execute("SELECT id FROM jobs ORDER BY run_at").fetchall()
    assert [row["id"] for row in rows] == [lease.job_id for lease in leases]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    limit=st.integers(1, 5),
    steps=st.lists(st.tuples(st.integers(1, 9), st.sampled_from([0, 0, 10, 50, 70, 300])), min_size=1, max_size=6),
)
def test_the_budget_matches_a_model_for_any_sequence_of_failures(
    database: Database, conn: Connection, workspace: UUID, limit: int, steps: list[tuple[int, int]]
) -> None:
    """The model is a list of periods with `limit` retries each; a retry uses the first that is not full."""
    conn.execute("TRUNCATE jobs, workers CASCADE")
    control.limit_retries(conn, "Main", retries=limit)
    worker = register_worker(conn)
    now, began, taken = 0, -10_000, [limit]
    for failures, minutes in steps:
        now += minutes
        conn.execute("UPDATE retry_budgets SET period_began = period_began - make_interval(mins => %s)", (minutes,))
        if began + 60 * len(taken) <= now:
            began, taken = now, [0]
        expected: Counter[int] = Counter()
        for _ in range(failures):
            if taken[-1] == limit:
                taken.append(0)
            taken[-1] += 1
            expected[max(0, began + 60 * (len(taken) - 1) - now)] += 1
        conn.execute("DELETE FROM jobs")
        insert_jobs(conn, workspace, Tier.LOW, failures)
        settle_failed(database, *claim_committed(database, worker, failures))
        rows = conn.execute("SELECT extract(epoch FROM run_at - clock_timestamp()) / 60 AS later FROM jobs")
        assert Counter(round(row["later"] or 0) for row in rows) == expected
        assert budget(conn, workspace)["spent"] == taken[-1]


def test_setting_a_limit_starts_a_new_period(database: Database, conn: Connection, workspace: UUID) -> None:
    insert_jobs(conn, workspace, Tier.LOW, 9)
    worker = register_worker_committed(database)
    fail_with_delay(database, claim_committed(database, worker, 3))
    assert budget(conn, workspace)["spent"] == 3
    control.limit_retries(conn, "Main", retries=2, minutes=5)
    assert budget(conn, workspace) == {"most": 2, "period": timedelta(minutes=5), "spent": 0}
    fail_with_delay(database, claim_committed(database, worker, 3))
    control.limit_retries(conn, "Main")
    assert budget(conn, workspace) == {"most": 1000, "period": HOUR, "spent": 0}


def test_the_defaults_match_those_of_the_table(database: Database, conn: Connection, workspace: UUID) -> None:
    insert_jobs(conn, workspace, Tier.LOW, 1)
    fail_with_delay(database, claim_committed(database, register_worker_committed(database), 1))
    usual = budget(conn, workspace)
    assert (
        (usual["most"], usual["period"]) == (DEFAULT_RETRIES, timedelta(minutes=DEFAULT_PERIOD_MINUTES)) == (1000, HOUR)
    )


@pytest.mark.parametrize("invalid", [{"retries": 0}, {"retries": -1}, {"minutes": 0}, {"minutes": -5}])
def test_a_budget_of_zero_is_rejected_with_a_message(
    conn: Connection, workspace: UUID, invalid: dict[str, int]
) -> None:
    with pytest.raises(BadInput, match="greater than zero"):
        control.limit_retries(conn, "Main", **invalid)
    with pytest.raises(NotFound, match="no workspace 'Typo'"):
        control.limit_retries(conn, "Typo", retries=1)
