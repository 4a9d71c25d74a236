"""The shift of stored times by a step of the database's clock, with locked rows and many jobs."""

from __future__ import annotations

from uuid import UUID

import psycopg
import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import JobFailure, Lease, Snooze
from docyard.queue import control
from docyard.queue.control import shifts
from docyard.worker.clock_watch import ClockWatch
from tests.queue.control.clock_shifts import HOUR, continue_shift, count_seconds_ahead, shift
from tests.queue.queue_workers import claim_one, enqueue_committed, make_job, register_worker_committed

# Every time in the database is in one of these lists. A time that is compared with the clock, and whose comparison
# decides something, is shifted. History is not.
SHIFTED = {
    "workers": {"heartbeat_at", "progress_at", "started_at", "clock_checked_at"},
    "pools": {"refilled_at", "swept_at"},
    "pool_breakers": {"window_began", "changed_at", "open_until"},
    "breaker_marks": {"started_at"},
    "retry_budgets": {"period_began"},
    "queue_samples": {"taken_at"},
    "jobs": {"run_at", "started_at", "deadline_at", "arrived_at", "created_at"},
    "documents": {"updated_at", "attempt_started_at", "completed_at", "first_completed_at"},
    "sessions": {"created_at", "expires_at"},
    "sign_in_links": {"created_at", "expires_at"},
}
KEPT = {
    "arrivals": {"arrived_at"},  # a bound of the jobs' arrivals; changes of these are arrivals themselves
    "blobs": {"created_at"},
    "clock_steps": {"noticed_at"},
    "common_blocks": {"counted_at"},  # counted again after 30 days
    "connections": {"created_at", "tried_at"},
    "dead_letters": {"arrived_at", "started_at", "died_at"},
    "document_types": {"changed_at"},
    "documents": {"created_at", "deleted_at"},
    "duties": {"began_at", "failed_at"},  # a duty that began in the future is due
    "embedding_models": {"created_at"},
    "entities": {"compared_at", "created_at"},
    "entity_merges": {"decided_at", "created_at"},
    "field_values": {"decided_at"},
    "folders": {"created_at"},
    "job_history": {"arrived_at", "started_at", "finished_at"},
    "lanes": {"first_arrived_at"},  # as for arrivals
    "locked_heartbeats": {"heartbeat_at", "progress_at"},  # those in the future do not count, and new ones follow
    "mentions": {"decided_at"},
    "pools": {"held_checked_at"},  # a check in the future does not count
    "relations": {"decided_at"},
    "renditions": {"created_at"},
    "shift_remainders": {"tried_at"},
    "schema_migrations": {"applied_at"},
    "schema_objects": {"applied_at"},
    "stage_results": {"finished_at"},
    "tags": {"created_at", "looked_at"},  # unused tags may be forgotten later
    "users": {"created_at"},
    "workspaces": {"created_at"},
}


def test_every_time_in_the_database_is_either_shifted_or_kept(conn: Connection) -> None:
    rows = conn.execute(
        "SELECT c.relname AS table, a.attname AS column FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
        " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
        " AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid IN ('timestamptz'::regtype, 'timestamp'::regtype)"
    ).fetchall()
    found = {(row["table"], row["column"]) for row in rows}
    lists = [{(table, column) for table in tables for column in tables[table]} for tables in (SHIFTED, KEPT)]
    assert found == lists[0] | lists[1]
    assert not lists[0] & lists[1]


_OLD_ROWS = """
    INSERT INTO memberships (user_id, workspace_id, role) SELECT u.id, w.id, 'admin' FROM users u, workspaces w;
    INSERT INTO retry_budgets (workspace_id, period_began) SELECT id, old.now FROM workspaces, old;
    INSERT INTO pool_breakers (pool, state, window_began, changed_at, open_until)
    SELECT 'extract', 'open', old.now, old.now, old.now + interval '30 s' FROM old;
    INSERT INTO breaker_marks (pool, good, bad, started_at) SELECT 'extract', 1, 0, old.now FROM old;
    UPDATE pools SET refilled_at = old.now, swept_at = old.now, sweep_cost = '-1 hour' FROM old;
    INSERT INTO queue_samples (taken_at, facts) SELECT old.now, jsonb_build_object('until', old.now) FROM old;
    INSERT INTO sessions (token_hash, user_id, workspace_id, csrf_token, created_at, expires_at)
    SELECT sha256('x'), u.id, w.id, 'csrf', old.now, old.now + interval '1 day' FROM users u, workspaces w, old;
    INSERT INTO sign_in_links (token_hash, user_id, created_at, expires_at)
    SELECT sha256('y'), u.id, old.now, old.now + interval '10 min' FROM users u, old;
    INSERT INTO jobs (workspace_id, pool, tier, type, state, run_at, children, children_left, created_at, arrived_at)
    SELECT w.id, 'extract', 2, 'test', 'waiting', old.now + interval '1 hour', 1, 1, old.now, old.now
    FROM workspaces w, old
"""


@pytest.mark.parametrize("step", [-HOUR, HOUR])
def test_times_keep_their_distance_from_the_clock(
    database: Database, conn: Connection, workspace: UUID, step: float
) -> None:
    conn.execute("CREATE TEMP TABLE old AS SELECT clock_timestamp() - make_interval(secs => %s) AS now", (step,))
    conn.execute("INSERT INTO users (id, email) VALUES (gen_random_uuid(), 'a@example.com')")
    conn.execute(_OLD_ROWS.encode())
    shift(database, step)
    queries = {
        "SELECT period_began FROM retry_budgets": [0],
        "SELECT window_began, changed_at, open_until FROM pool_breakers": [0, 0, 30],
        "SELECT started_at FROM breaker_marks": [0],
        "SELECT refilled_at, swept_at FROM pools": [0, 0],
        "SELECT taken_at FROM queue_samples": [0],
        "SELECT created_at, expires_at FROM sessions": [0, 86_400],
        "SELECT expires_at FROM sign_in_links": [600],
        "SELECT created_at, arrived_at, run_at FROM jobs": [0, 0, 3600],
    }
    for query, expected in queries.items():
        assert count_seconds_ahead(conn, query) == pytest.approx(expected, abs=5), query
    assert conn.execute("SELECT max(sweep_cost)::text AS cost FROM pools").fetchone() == {"cost": "00:00:00"}


def test_jobs_written_after_the_step_keep_their_times(database: Database, conn: Connection, workspace: UUID) -> None:
    enqueue_committed(database, make_job(workspace, delay_seconds=600.0))
    shift(database, -HOUR)
    assert count_seconds_ahead(conn, "SELECT run_at FROM jobs") == pytest.approx([600], abs=5)


def test_a_sign_in_link_made_after_the_step_stays_valid(database: Database, conn: Connection) -> None:
    conn.execute("INSERT INTO users (email) VALUES ('a@example.com')")
    conn.execute(
        "INSERT INTO sign_in_links (token_hash, user_id, expires_at)"
        " SELECT sha256('y'), id, now() + interval '10 min' FROM users"
    )
    shift(database, -HOUR)
    assert count_seconds_ahead(conn, "SELECT expires_at FROM sign_in_links") == pytest.approx([600], abs=9)


@pytest.mark.parametrize("is_failure", [True, False])
def test_a_retry_set_after_the_step_keeps_its_delay(
    database: Database, conn: Connection, workspace: UUID, is_failure: bool
) -> None:
    lease = _claim_job_of_old_clock(database, workspace)
    failure = JobFailure(lease, "timeout", "It failed.", final=False, delay=60.0)
    with database.transaction() as settling:
        assert queue.settle(settling, [failure if is_failure else Snooze(lease, 60.0, "rate_limit", "Wait.")])
    shift(database, -HOUR)
    assert count_seconds_ahead(conn, "SELECT run_at FROM jobs") == pytest.approx([60], abs=9)


def test_a_retry_that_waits_for_a_budget_of_the_old_clock_is_shifted(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    lease = _claim_job_of_old_clock(database, workspace)
    conn.execute(
        "INSERT INTO retry_budgets (workspace_id, most, spent, period, period_began)"
        " VALUES (%s, 1, 1, '10 min', clock_timestamp() + interval '1 hour')",
        (workspace,),
    )
    with database.transaction() as settling:
        assert queue.settle(settling, [JobFailure(lease, "timeout", "It failed.", final=False, delay=5.0)])
    assert count_seconds_ahead(conn, "SELECT run_at FROM jobs") == pytest.approx([4200], abs=9)
    shift(database, -HOUR)
    assert count_seconds_ahead(conn, "SELECT run_at FROM jobs") == pytest.approx([600], abs=9)


def _claim_job_of_old_clock(database: Database, workspace: UUID) -> Lease:
    """Claim a job that was created ten minutes ago, by a clock that was an hour ahead."""
    enqueue_committed(database, make_job(workspace))
    with database.transaction() as conn:
        conn.execute("UPDATE jobs SET created_at = clock_timestamp() + interval '50 min', arrived_at = created_at")
    return claim_one(database, register_worker_committed(database))


def test_a_locked_job_is_shifted_as_soon_as_it_is_free(database: Database, conn: Connection, workspace: UUID) -> None:
    locked, free = enqueue_committed(database, *(make_job(workspace, delay_seconds=60.0) for _ in range(2)))
    conn.execute("UPDATE jobs SET created_at = created_at + interval '1 hour', run_at = run_at + interval '1 hour'")
    due = "SELECT run_at FROM jobs WHERE id = %s"
    with database.connect() as operator, operator.transaction():
        operator.execute("UPDATE jobs SET priority = 1 WHERE id = %s", (locked,))
        shift(database, -HOUR)
        assert continue_shift(database) == {"jobs": False}
        assert count_seconds_ahead(conn, due, free) == pytest.approx([60], abs=9)
    assert continue_shift(database) == {}
    assert count_seconds_ahead(conn, due, locked) == pytest.approx([60], abs=9)


def test_what_two_steps_left_is_shifted_by_both(database: Database, conn: Connection, workspace: UUID) -> None:
    conn.execute("UPDATE pools SET refilled_at = clock_timestamp() + interval '30 min'")
    with database.connect() as operator, operator.transaction():
        operator.execute("SELECT FROM pools FOR UPDATE")
        shift(database, -HOUR)
        shift(database, 2 * HOUR)
        assert continue_shift(database) == {"pools": False}
    assert continue_shift(database) == {}
    ahead = conn.execute("SELECT DISTINCT round(extract(epoch FROM refilled_at - now())) AS s FROM pools").fetchall()
    assert [float(row["s"]) for row in ahead] == pytest.approx([1.5 * HOUR], abs=9)


def test_a_heartbeat_that_is_still_to_be_shifted_is_not_another_step(database: Database, conn: Connection) -> None:
    register_worker_committed(database)
    conn.execute("UPDATE workers SET heartbeat_at = clock_timestamp() + interval '1 hour'")
    with database.connect() as operator, operator.transaction():
        operator.execute("SELECT FROM workers FOR UPDATE")
        shift(database, -HOUR)
        watch, started = ClockWatch(), register_worker_committed(database)
        watch.follow(database, started)
    assert watch.follow(database, started)
    assert len(conn.execute("SELECT FROM clock_steps").fetchall()) == 1
    assert count_seconds_ahead(conn, "SELECT max(heartbeat_at) FROM workers") == pytest.approx([0], abs=9)


def test_a_large_backlog_is_moved_in_batches_and_keeps_its_order(
    database: Database, conn: Connection, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shifts, "_BATCH_SIZE", 3)
    jobs = enqueue_committed(database, *(make_job(workspace) for _ in range(8)))
    for minutes, job in enumerate(jobs):
        moved = "UPDATE jobs SET arrived_at = arrived_at + make_interval(mins => %s) WHERE id = %s"
        conn.execute(moved, (50 - minutes, job))
    ahead = "SELECT count(*) AS jobs FROM jobs WHERE arrived_at > clock_timestamp()"
    shift(database, -HOUR)
    counts = [conn.execute(ahead).fetchone()]
    while continue_shift(database):
        counts.append(conn.execute(ahead).fetchone())
    assert [row and row["jobs"] for row in counts] == [5, 2]
    extremes = "SELECT min(arrived_at), max(arrived_at) FROM jobs"
    assert count_seconds_ahead(conn, extremes) == pytest.approx([0, 0], abs=5)
    order = conn.execute("SELECT id FROM jobs ORDER BY arrived_at").fetchall()
    assert [row["id"] for row in order] == jobs[::-1]


def test_a_job_is_shifted_once_if_there_are_several_batches(
    database: Database, conn: Connection, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shifts, "_BATCH_SIZE", 2)
    enqueue_committed(database, *(make_job(workspace, delay_seconds=60.0) for _ in range(5)))
    conn.execute("UPDATE jobs SET created_at = created_at - interval '1 hour', run_at = run_at - interval '1 hour'")
    shift(database, HOUR)
    batches = 2  # the first and the last
    while continue_shift(database):
        batches += 1
    assert batches == 3
    assert count_seconds_ahead(conn, "SELECT min(run_at), max(run_at) FROM jobs") == pytest.approx([60, 60], abs=9)


def test_one_worker_at_a_time_continues_a_shift(database: Database, conn: Connection, workspace: UUID) -> None:
    watch, worker = ClockWatch(), register_worker_committed(database)
    assert watch.follow(database, worker)
    with database.connect() as operator, operator.transaction():
        operator.execute("SELECT FROM pools FOR UPDATE")
        shift(database, -60)
    with database.connect() as other, other.transaction():
        assert control.lock_clock(other)
        assert not ClockWatch().follow(database, worker), "duties wait for what the other worker does"
    assert conn.execute("SELECT FROM shift_remainders").fetchone() is not None
    assert ClockWatch().follow(database, worker)
    assert conn.execute("SELECT FROM shift_remainders").fetchone() is None


def test_documents_that_ended_before_a_step_back_are_reset_and_counted_as_before(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    conn.execute(
        "INSERT INTO documents (workspace_id, name, status, completed_at, first_completed_at, updated_at,"
        " attempt_started_at) SELECT %s, 'a.txt', 'completed', a.at, a.at, a.at, a.at"
        " FROM (SELECT clock_timestamp() + interval '50 min' AS at) a",
        (workspace,),
    )
    shift(database, -HOUR)
    query = "SELECT completed_at, first_completed_at, updated_at, attempt_started_at FROM documents"
    assert count_seconds_ahead(conn, query) == pytest.approx([-600] * 4, abs=5)


def test_the_operator_role_reads_steps_and_the_web_role_does_not(database: Database, web_database: Database) -> None:
    shift(database, -HOUR)
    with database.transaction(operator=True) as conn:
        assert control.get_latest_step(conn)
    with pytest.raises(psycopg.errors.InsufficientPrivilege), web_database.transaction() as conn:
        control.get_latest_step(conn)
