"""Tests of the partitions of the job history."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Completion
from docyard.pipeline.run import Pipeline
from docyard.worker import WorkerOptions
from docyard.worker.duties import partitions
from docyard.worker.duties.duty import DutyContext
from tests.queue.queue_workers import claim_one, enqueue_committed, make_job, register_worker_committed


def today(conn: Connection) -> datetime:
    row = conn.execute("SELECT now() AT TIME ZONE 'UTC' AS now").fetchone()
    assert row
    day: datetime = row["now"]
    return day.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=UTC)


def partition_name(day: datetime) -> str:
    return f"job_history_{day:%Y%m%d}"


def add_finished(conn: Connection, workspace: UUID, at: datetime) -> None:
    conn.execute(
        "INSERT INTO job_history (id, workspace_id, pool, tier, type, outcome, attempts, replays, fence,"
        " failure_history, arrived_at, finished_at)"
        " VALUES (gen_random_uuid(), %(w)s, 'extract', 1, 'test', 'done', 1, 0, 1, '[]', %(at)s, %(at)s)",
        {"w": workspace, "at": at},
    )


def count_by_partition(conn: Connection) -> dict[str, int]:
    """Return the number of rows in each partition of the history."""
    rows = conn.execute("SELECT tableoid::regclass::text AS t, count(*) AS n FROM job_history GROUP BY 1")
    return {row["t"]: row["n"] for row in rows}


def test_partitions_of_today_and_the_next_three_days_are_created_once(database: Database, conn: Connection) -> None:
    days = [partition_name(today(conn) + timedelta(days=n)) for n in range(4)]
    with database.transaction() as upkeep:
        assert queue.ensure_partitions(upkeep) == days
    with database.transaction() as upkeep:
        assert queue.ensure_partitions(upkeep) == []


def test_a_finished_job_is_stored_in_the_partition_of_its_day(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    with database.transaction() as upkeep:
        queue.ensure_partitions(upkeep)
    enqueue_committed(database, make_job(workspace))
    before = today(conn)
    queue.settle(conn, [Completion(claim_one(database, register_worker_committed(database)))])
    assert set(count_by_partition(conn)) <= {partition_name(before), partition_name(today(conn))}


def return_rows(database: Database) -> None:
    """Return the rows of a replaced default partition to the history."""
    end: int | None = None
    while end != 0:
        with database.transaction() as conn:
            end = queue.return_detached_rows(conn, end)


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Auckland", "America/Los_Angeles"])
def test_rows_of_the_default_partition_are_moved_to_a_new_partition(
    database: Database, conn: Connection, workspace: UUID, zone: str
) -> None:
    day = today(conn)
    moments = [day, day + timedelta(hours=23, minutes=59), day + timedelta(days=1), day - timedelta(hours=1)]
    for at in moments:
        add_finished(conn, workspace, at)
    assert count_by_partition(conn) == {"job_history_default": 4}
    with database.transaction() as upkeep:
        upkeep.execute("SELECT set_config('TimeZone', %s, true)", (zone,))
        queue.ensure_partitions(upkeep)
    return_rows(database)
    tomorrow = partition_name(day + timedelta(days=1))
    assert count_by_partition(conn) == {partition_name(day): 2, tomorrow: 1, "job_history_default": 1}
    return_rows(database)
    with database.transaction() as upkeep:
        assert queue.ensure_partitions(upkeep) == []


def test_creating_a_partition_waits_for_a_running_settlement(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    """The settlement has an uncommitted row in the default partition that belongs in the new one."""

    def upkeep() -> list[str]:
        with database.transaction() as other:
            return queue.ensure_partitions(other)

    with ThreadPoolExecutor(1) as thread:
        with database.transaction() as settling:
            add_finished(settling, workspace, today(conn) + timedelta(hours=1))
            made = thread.submit(upkeep)
            waits = "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted) AS waits"
            while not made.done() and conn.execute(waits).fetchone() == {"waits": False}:
                pass
            assert not made.done(), "it must wait for the settlement"
        assert len(made.result(timeout=30)) == 4
    return_rows(database)
    assert count_by_partition(conn) == {partition_name(today(conn)): 1}


def test_pruning_drops_only_old_partitions(database: Database, conn: Connection, workspace: UUID) -> None:
    day = today(conn)
    with database.transaction() as upkeep:
        queue.ensure_partitions(upkeep)
    for age in (8, 7):
        old = day - timedelta(days=age)
        conn.execute(
            f"CREATE TABLE {partition_name(old)} PARTITION OF job_history"
            f" FOR VALUES FROM ('{old:%F}Z') TO ('{old + timedelta(days=1):%F}Z')"
        )
        add_finished(conn, workspace, old + timedelta(hours=12))
    add_finished(conn, workspace, day - timedelta(days=40))  # stored in the default partition
    add_finished(conn, workspace, day - timedelta(days=3))
    with database.transaction() as upkeep:
        assert queue.prune_history(upkeep, 7) == [partition_name(day - timedelta(days=8))]
    assert count_by_partition(conn) == {partition_name(day - timedelta(days=7)): 1, "job_history_default": 1}


def test_concurrent_upkeep_creates_each_partition_once(database: Database) -> None:
    def upkeep(_: int) -> list[str]:
        with database.transaction() as conn:
            return queue.ensure_partitions(conn)

    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(upkeep, range(4)))
    assert sorted(map(len, made)) == [0, 0, 0, 4]


MANY = 200_000
MAX_WAIT = "1500ms"


def add_many_finished(conn: Connection, workspace: UUID) -> None:
    """Add many rows of today, and some of the day before, to the default partition."""
    conn.execute(
        "INSERT INTO job_history (id, workspace_id, pool, tier, type, outcome, attempts, replays, fence,"
        " failure_history, arrived_at, finished_at)"
        " SELECT gen_random_uuid(), %s, 'extract', 1, 'test', 'done', 1, 0, 1, '[]', now(),"
        " %s::timestamptz + n * interval '1 millisecond'"
        " FROM generate_series(-1000, %s) AS n",
        (workspace, today(conn), MANY - 1001),
    )


def test_settlements_do_not_wait_while_many_rows_leave_the_default_partition(
    pipeline: Pipeline, conn: Connection, workspace: UUID
) -> None:
    database = pipeline.db
    add_many_finished(conn, workspace)
    worker = register_worker_committed(database)
    settled = 0
    with ThreadPoolExecutor(1) as thread:
        upkeep = thread.submit(run_duty, pipeline, worker)
        while not upkeep.done():
            enqueue_committed(database, make_job(workspace))
            lease = claim_one(database, worker)
            with database.transaction() as settling:
                # A settlement that waits longer than this for a lock fails.
                settling.execute("SELECT set_config('lock_timeout', %s, true)", (MAX_WAIT,))
                settled += len(queue.settle(settling, [Completion(lease)]))
        said = upkeep.result()
        while said and "being moved" in said:  # on a slow machine, one run does not move all
            said = run_duty(pipeline, worker)
    counted = count_by_partition(conn)
    assert sum(counted.values()) == MANY + settled
    assert settled > 0
    assert counted[partition_name(today(conn))] > settled


def run_duty(pipeline: Pipeline, worker: UUID) -> str | None:
    """Run the duty that creates partitions."""
    with pipeline.db.transaction() as conn:
        return partitions.DUTY.run(DutyContext(conn, pipeline, worker, WorkerOptions()))
