"""Tests that the cost of claims depends on the batch and the lanes, not on the backlog or on statistics."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection
from docyard.model.jobs import Completion, JobFailure, NewJob, Snooze
from tests.queue.query_plans import Node, count_rows_read, count_sorted_rows, find_table_nodes, record_plans
from tests.queue.queue_workers import POOL, register_worker

BACKLOG = 50_000
BATCH = 10
READS = {"Index Scan", "Index Only Scan", "Bitmap Heap Scan"}


def backlog(conn: Connection, lanes: int, *, analysed: bool) -> UUID:
    """Insert many jobs and return a worker; if not `analysed`, the statistics describe an empty table."""
    conn.execute("ALTER TABLE jobs SET (autovacuum_enabled = false)")
    conn.execute("ALTER TABLE lanes SET (autovacuum_enabled = false)")
    conn.execute("ANALYZE jobs, lanes")
    conn.execute("INSERT INTO workspaces (name) SELECT 'Lane ' || n FROM generate_series(1, %s) AS n", (lanes,))
    conn.execute(
        "INSERT INTO jobs (workspace_id, pool, tier, type, arrived_at)"
        " SELECT w.id, %s, w.seq %% 3, 'test', now() + n * interval '1 microsecond'"
        " FROM workspaces AS w CROSS JOIN generate_series(1, %s) AS n",
        (POOL, BACKLOG // lanes),
    )
    if analysed:
        conn.execute("ANALYZE jobs")
    return register_worker(conn)


def assert_bounded(nodes: list[Node], max_rows: int) -> None:
    reads = find_table_nodes(nodes, "jobs")
    assert reads, "no recorded plan reads jobs"
    assert {node["Node Type"] for node in reads} <= READS
    assert max(count_rows_read(node) for node in reads) <= max_rows
    assert max(count_sorted_rows(nodes), default=0) <= max_rows


@pytest.mark.parametrize("analysed", [True, False], ids=["analysed", "never analysed"])
@pytest.mark.parametrize("lanes", [3, 200])
def test_a_claim_uses_indexes_and_reads_a_bounded_number_of_rows(
    conn: Connection, lanes: int, *, analysed: bool
) -> None:
    worker = backlog(conn, lanes, analysed=analysed)
    queue.claim(conn, POOL, worker, BATCH)  # this claim also sweeps the lanes
    conn.execute("UPDATE pools SET swept_at = now(), sweep_cost = '1 day'")
    with record_plans(conn) as nodes:
        assert len(queue.claim(conn, POOL, worker, BATCH)) == BATCH
    # At most two jobs from each of `BATCH + 1` lanes in each of the three tiers, and a few more rows.
    assert_bounded(nodes, 3 * 2 * (BATCH + 1) + 6)


@pytest.mark.parametrize("analysed", [True, False], ids=["analysed", "never analysed"])
def test_a_sweep_reads_one_row_per_lane(conn: Connection, *, analysed: bool) -> None:
    backlog(conn, 200, analysed=analysed)
    with record_plans(conn) as nodes:
        activated = conn.execute("SELECT sweep_lanes(%s) AS lanes", (POOL,)).fetchone()
    assert activated == {"lanes": 200}
    assert_bounded(nodes, 200)


def test_skipping_empty_lanes_has_linear_cost(conn: Connection) -> None:
    worker = backlog(conn, 200, analysed=False)
    conn.execute("SELECT sweep_lanes(%s)", (POOL,))
    conn.execute("UPDATE pools SET swept_at = now(), sweep_cost = '1 day'")
    last = conn.execute("UPDATE lanes SET vtime = 9 WHERE ctid = (SELECT max(ctid) FROM lanes) RETURNING *").fetchone()
    assert last
    conn.execute("DELETE FROM jobs WHERE workspace_id <> %s", (last["workspace_id"],))
    with record_plans(conn) as nodes:
        (lease,) = queue.claim(conn, POOL, worker, 1)
    assert lease.workspace_id == last["workspace_id"]
    rounds = [node for node in nodes if node.get("Subplan Name") == "CTE candidates"]
    assert len(rounds) <= 4
    assert sum(count_rows_read(node) for node in find_table_nodes(nodes, "lanes")) < 200 * 8


@pytest.mark.parametrize("analysed", [True, False], ids=["analysed", "never analysed"])
def test_other_queries_of_a_worker_do_not_read_the_backlog(conn: Connection, *, analysed: bool) -> None:
    worker = backlog(conn, 3, analysed=analysed)
    leases = queue.claim(conn, POOL, worker, BATCH)
    conn.execute(
        "UPDATE jobs SET state = 'scheduled', run_at = now() WHERE id IN (SELECT id FROM jobs"
        " WHERE state = 'pending' LIMIT 5)"
    )
    conn.execute("UPDATE pools SET swept_at = now()")
    with record_plans(conn) as nodes:
        assert queue.find_pools_with_jobs(conn, ["chunk", POOL]) == [POOL]
        assert queue.promote_due(conn)[0] == 5
        assert len(queue.settle(conn, [Completion(lease) for lease in leases[:5]])) == 5
        conn.execute("UPDATE workers SET heartbeat_at = '-infinity'")
        assert len(queue.reap(conn, register_worker(conn))) == 5
    assert_bounded(nodes, 2 * BATCH)


@pytest.mark.parametrize("analysed", [True, False], ids=["analysed", "never analysed"])
def test_settling_children_does_not_read_the_backlog(conn: Connection, *, analysed: bool) -> None:
    worker = backlog(conn, 3, analysed=analysed)
    leases = queue.claim(conn, POOL, worker, BATCH)
    parent = leases[0]
    work = [NewJob(parent.workspace_id, "chunk", "test", dedupe_key=f"child {n}") for n in range(4)]
    with record_plans(conn) as nodes:
        assert queue.wait_for_children(conn, parent, work, seconds=60)
        children = queue.claim(conn, "chunk", worker, 4)
        queue.settle(conn, [Completion(children[0])])
        queue.settle(conn, [JobFailure(children[1], "network", "Down.", final=False, delay=5)])
        queue.settle(conn, [Snooze(children[2], 5, "rate_limit", "Later.")])
        queue.settle(conn, [JobFailure(children[3], "corrupt", "Broken.", final=True)])
        queue.cancel_jobs(conn, [parent.job_id, leases[1].job_id])
        assert queue.wake_orphans(conn) == 0
        assert queue.take_over_overdue_parents(conn, worker) == []
        assert queue.find_by_dedupe_key(conn, parent.workspace_id, "child 1") is None
    assert_bounded(nodes, 2 * BATCH)


@pytest.mark.parametrize("analysed", [True, False], ids=["analysed", "never analysed"])
def test_children_retries_and_cancellation_do_not_read_the_backlog(conn: Connection, *, analysed: bool) -> None:
    worker = backlog(conn, 3, analysed=analysed)
    parent, lost, failing, *_ = queue.claim(conn, POOL, worker, BATCH)
    children = [NewJob(parent.workspace_id, "chunk", "test", dedupe_key=key) for key in "abc"]
    with record_plans(conn) as nodes:
        assert queue.wait_for_children(conn, parent, children, seconds=60)
        leases = queue.claim(conn, "chunk", worker, 2)
        again = JobFailure(failing, "network", "x", final=False, delay=5)
        assert len(queue.settle(conn, [again, *(Completion(lease) for lease in leases)])) == 3
        assert len(queue.cancel_jobs(conn, [parent.job_id, lost.job_id])) == 3
        assert queue.take_over_overdue_parents(conn, worker) == []
        assert queue.wake_orphans(conn) == 0
    assert_bounded(nodes, 5 * BATCH)


@pytest.mark.parametrize("analysed", [True, False], ids=["analysed", "never analysed"])
def test_a_settlement_reads_only_its_own_jobs(conn: Connection, *, analysed: bool) -> None:
    """This also holds for the generic plan, which PostgreSQL uses for frequent statements."""
    worker = backlog(conn, 3, analysed=analysed)
    leases = queue.claim(conn, POOL, worker, 300)
    conn.execute("SET plan_cache_mode = force_generic_plan")
    conn.prepare_threshold = 0
    with record_plans(conn) as nodes:
        assert len(queue.settle(conn, [Completion(lease) for lease in leases[:50]])) == 50
        dead = [JobFailure(lease, "corrupt", "Broken.", final=True) for lease in leases[50:100]]
        assert len(queue.settle(conn, dead)) == 50
    assert_bounded(nodes, 50)
