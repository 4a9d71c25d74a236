"""The effects of the duties, and the rows that they must not change."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest

from docyard import log, queue
from docyard.db import Connection
from docyard.errors import Locked
from docyard.model.jobs import JobFailure
from docyard.pipeline.run import Pipeline
from docyard.queue import monitor
from docyard.queue.monitor import alarms as limits_of_alarms
from docyard.worker.duties import alarms, budgets, parents, partitions, prune, reap, reset_failed, tags
from docyard.worker.duties.duty import Duty, DutyContext
from tests.queue.queue_workers import POOL, claim_one, enqueue_committed, get_state, make_job, register_worker_committed
from tests.queue.sql_interface.sql_session import (
    fetch_one,
    fetch_queue_entry,
    make_dead,
    make_running,
    make_scheduled,
    move_into_past,
)
from tests.worker.duties.duty_runs import do


@pytest.fixture
def conn(pipeline: Pipeline) -> Iterator[Connection]:
    """A connection in autocommit mode."""
    with pipeline.db.connect() as connection:
        yield connection


def reset(pipeline: Pipeline) -> str | None:
    message: str | None = do(pipeline, reset_failed.DUTY)["said"]
    return message


def status(conn: Connection, document_id: UUID) -> tuple[str, str]:
    row = fetch_queue_entry(conn, document_id)
    return row["status"], row["final_status"]


HOUR, DAY = 3600.0, 86_400.0
FAILED = ("failed", "failed")
FINAL = ("failed", "permanently_failed")
PENDING = ("pending", "pending")


def test_queues_retryable_failures_again_after_the_cool_down(
    pipeline: Pipeline, conn: Connection, workspace: UUID
) -> None:
    document_id = make_dead(pipeline.db, workspace, "outside")
    move_into_past(conn, document_id, "4 minutes")
    assert reset(pipeline) is None
    assert status(conn, document_id) == FAILED
    move_into_past(conn, document_id, "2 minutes")
    assert reset(pipeline) == "Failed documents queued again: 1"
    assert status(conn, document_id) == PENDING
    row = fetch_queue_entry(conn, document_id)
    assert row["retry_count"] == 1, "the attempt stays used, or resets would never end"
    assert [r["previous_status"] for r in row["processor_metadata"]["retry_history"]] == ["failed"]


def test_does_not_reset_final_failures(pipeline: Pipeline, conn: Connection, workspace: UUID) -> None:
    corrupt = make_dead(pipeline.db, workspace, "corrupt")
    exhausted = make_dead(pipeline.db, workspace, "outside")
    conn.execute("UPDATE dead_letters SET attempts = max_attempts WHERE document_id = %s", (exhausted,))
    given_up = make_dead(pipeline.db, workspace, "outside")
    queue.discard(conn, [letter.id for letter in queue.find_letters_of_document(conn, given_up)])
    deleted = make_dead(pipeline.db, workspace, "outside")
    conn.execute("UPDATE documents SET deleted_at = now() WHERE id = %s", (deleted,))
    for document_id in (corrupt, exhausted, given_up, deleted):
        move_into_past(conn, document_id)
    assert queue.find_resettable_documents(conn, cool_down=0.0, limit=9) == [], (
        "they must not use up the limit of a run"
    )
    assert reset(pipeline) is None
    assert [status(conn, document) for document in (corrupt, exhausted, given_up)] == [FINAL] * 3
    assert monitor.count_backlog(conn).states == {}


def test_does_not_reset_documents_with_a_scheduled_retry(pipeline: Pipeline, conn: Connection, workspace: UUID) -> None:
    waiting = make_scheduled(pipeline.db, workspace)
    conn.execute("INSERT INTO retry_budgets (workspace_id) VALUES (%s) ON CONFLICT DO NOTHING", (workspace,))
    conn.execute("UPDATE retry_budgets SET most = 1, spent = 1, period_began = now()")
    postponed = make_scheduled(pipeline.db, workspace)
    for document_id in (waiting, postponed):
        move_into_past(conn, document_id)
    before = conn.execute("SELECT id, state, run_at FROM jobs ORDER BY id").fetchall()
    assert [row["state"] for row in before] == ["scheduled"] * 2
    assert reset(pipeline) is None
    assert conn.execute("SELECT id, state, run_at FROM jobs ORDER BY id").fetchall() == before


def test_an_error_in_one_reset_does_not_affect_others(pipeline: Pipeline, conn: Connection, workspace: UUID) -> None:
    broken, locked, good = (make_dead(pipeline.db, workspace, "outside") for _ in range(3))
    for document_id in (broken, locked, good):
        move_into_past(conn, document_id)
    conn.execute(f"ALTER TABLE jobs ADD CONSTRAINT odd CHECK (document_id <> '{broken}')".encode())
    with pipeline.db.connect() as other, other.transaction():
        other.execute("SELECT FROM documents WHERE id = %s FOR UPDATE", (locked,))
        assert reset(pipeline) == "Failed documents queued again: 1; not queued because of an error, see the log: 1"
        with pipeline.db.transaction() as worker:
            assert len(queue.claim(worker, "fetch", register_worker_committed(pipeline.db), 5)) == 1
    assert (status(conn, broken), status(conn, locked)) == (FAILED, FAILED)
    assert reset(pipeline) == "Failed documents queued again: 1; not queued because of an error, see the log: 1"
    assert status(conn, locked) == PENDING


def test_resumes_a_parent_whose_children_were_deleted(pipeline: Pipeline, conn: Connection, workspace: UUID) -> None:
    (parent,) = enqueue_committed(pipeline.db, make_job(workspace))
    lease = claim_one(pipeline.db, register_worker_committed(pipeline.db))
    assert queue.wait_for_children(conn, lease, [make_job(workspace)], seconds=60)
    assert do(pipeline, parents.DUTY)["said"] is None
    assert get_state(conn, parent) == "waiting"
    conn.execute("DELETE FROM jobs WHERE parent_id = %s", (parent,))
    message = do(pipeline, parents.DUTY)["said"]
    assert message == "Parent jobs resumed without children: 1; failed after waiting too long: 0"
    assert get_state(conn, parent) == "pending"


def test_a_parent_that_waits_too_long_fails_with_a_timeout(
    pipeline: Pipeline, conn: Connection, workspace: UUID
) -> None:
    (parent,) = enqueue_committed(pipeline.db, make_job(workspace))
    lease = claim_one(pipeline.db, register_worker_committed(pipeline.db))
    assert queue.wait_for_children(conn, lease, [make_job(workspace)], seconds=60)
    conn.execute("UPDATE jobs SET run_at = now() WHERE id = %s", (parent,))
    do(pipeline, parents.DUTY, register_worker_committed(pipeline.db))
    row = fetch_one(conn, "SELECT state, failure_history -> -1 ->> 'category' AS c FROM jobs WHERE id = %s", parent)
    assert row == {"state": "scheduled", "c": "timeout"}


def test_recovers_more_jobs_than_one_batch_in_one_run(pipeline: Pipeline, conn: Connection, workspace: UUID) -> None:
    enqueue_committed(pipeline.db, *(make_job(workspace) for _ in range(25)))
    queue.claim(conn, POOL, register_worker_committed(pipeline.db), 25)
    conn.execute("UPDATE workers SET state = 'lost'")
    message = do(pipeline, reap.DUTY, register_worker_committed(pipeline.db))["said"]
    assert message == "Jobs taken over from lost workers or after their deadline: 25"
    assert monitor.count_backlog(conn).states == {"pending": 25}


def test_a_recovered_job_that_cannot_be_settled_becomes_a_dead_letter(
    pipeline: Pipeline, conn: Connection, workspace: UUID
) -> None:
    make_running(pipeline.db, workspace)
    other, _ = make_running(pipeline.db, workspace)
    conn.execute(f"ALTER TABLE jobs ADD CONSTRAINT odd CHECK (state = 'running' OR document_id <> '{other}')".encode())
    conn.execute("UPDATE workers SET state = 'lost'")
    do(pipeline, reap.DUTY, register_worker_committed(pipeline.db))
    assert monitor.count_backlog(conn).states == {"pending": 1}
    (letter,) = queue.find_dead_letters(conn)
    assert (letter.document_id, letter.category) == (other, "internal")
    assert status(conn, other) == FAILED, "without a job the document must not stay in processing"


def test_deletes_only_default_budgets_whose_period_is_over(
    pipeline: Pipeline, conn: Connection, workspace: UUID, other_workspace: UUID
) -> None:
    enqueue_committed(pipeline.db, make_job(workspace))
    lease = claim_one(pipeline.db, register_worker_committed(pipeline.db))
    with pipeline.db.transaction() as settling:
        queue.settle(settling, [JobFailure(lease, "timeout", "Slow.", final=False, delay=1)])
    conn.execute("INSERT INTO retry_budgets (workspace_id, most) VALUES (%s, 5)", (other_workspace,))
    assert do(pipeline, budgets.DUTY)["said"] is None, "the period of the budget is not over"
    conn.execute("UPDATE retry_budgets SET period_began = period_began - interval '61 minutes'")
    assert do(pipeline, budgets.DUTY)["said"] == "Unused retry budgets deleted: 1"
    assert fetch_one(conn, "SELECT workspace_id, most FROM retry_budgets") == {
        "workspace_id": other_workspace,
        "most": 5,
    }


@pytest.mark.parametrize("duty", [partitions.DUTY, prune.DUTY], ids=lambda duty: duty.name)
def test_postpones_duties_while_the_history_is_locked(pipeline: Pipeline, conn: Connection, duty: Duty) -> None:
    conn.execute(
        "CREATE TABLE job_history_20000101 PARTITION OF job_history FOR VALUES FROM ('2000-01-01Z') TO ('2000-01-02Z')"
    )
    with pipeline.db.connect() as backup, backup.transaction():
        backup.execute("LOCK TABLE job_history, job_history_default IN ACCESS SHARE MODE")
        row = do(pipeline, duty)
    assert "ostponed" in row["said"]
    assert row["error"] is None
    assert "job_history_20" in do(pipeline, duty)["said"]


def test_reports_an_idle_transaction_and_logs_it_once(
    pipeline: Pipeline, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    warned: list[object] = []
    monkeypatch.setattr(log, "warn", lambda name, **facts: warned.append((name, facts["said"])))
    monkeypatch.setattr(limits_of_alarms, "MAX_TRANSACTION_SECONDS", 0.0)
    # A connection that is being opened may be listed, but no other session is idle in a transaction.
    assert "idle in" not in (do(pipeline, alarms.DUTY)["said"] or "")
    warned.clear()
    with pipeline.db.connect() as forgotten:
        forgotten.execute("SET application_name = 'forgotten'")
        with forgotten.transaction():
            forgotten.execute("SELECT pg_current_xact_id()")
            message = do(pipeline, alarms.DUTY)["said"]
            assert f"the process {forgotten.info.backend_pid} (forgotten, idle in transaction) since" in message
            assert do(pipeline, alarms.DUTY)["said"] == message
            assert warned == [("queue_alarm", message)]
            monkeypatch.setattr(limits_of_alarms, "MAX_TRANSACTION_SECONDS", 300.0)
            assert do(pipeline, alarms.DUTY)["said"] is None, "a short transaction is not reported"
    monkeypatch.setattr(limits_of_alarms, "MAX_TRANSACTION_SECONDS", 0.0)
    assert "idle in" not in (do(pipeline, alarms.DUTY)["said"] or "")


def test_reports_far_more_dead_than_live_rows(
    pipeline: Pipeline, conn: Connection, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits_of_alarms, "MAX_DEAD_ROWS", 100)
    conn.execute("ALTER TABLE jobs SET (autovacuum_enabled = false)")
    queue.enqueue(conn, [make_job(workspace)] * 12)
    _create_dead_rows(conn, workspace, 110)
    assert do(pipeline, alarms.DUTY)["said"] is None, "fewer than ten times the live ones"
    _create_dead_rows(conn, workspace, 110)
    assert "far more dead rows than live ones" in do(pipeline, alarms.DUTY)["said"]
    conn.execute("VACUUM jobs")
    assert do(pipeline, alarms.DUTY)["said"] is None


def _create_dead_rows(conn: Connection, workspace: UUID, count: int) -> None:
    conn.execute(
        "INSERT INTO jobs (workspace_id, pool, tier, type, dedupe_key)"
        " SELECT %s, 'fetch', 1, 'gone', gen_random_uuid() FROM generate_series(1, %s)",
        (workspace, count),
    )
    conn.execute("DELETE FROM jobs WHERE type = 'gone'")
    conn.execute("SELECT pg_stat_force_next_flush()")


def test_deletes_workers_that_ended_over_a_week_ago(pipeline: Pipeline, conn: Connection) -> None:
    conn.execute(
        "INSERT INTO workers (id, host, pid, pools, slots, lease_seconds, state, heartbeat_at)"
        " VALUES (%s, 'h', 1, '{}', 1, 30, 'lost', now() - interval '8 days'),"
        " (%s, 'h', 1, '{}', 1, 30, 'lost', now() - interval '6 days')",
        (uuid4(), uuid4()),
    )
    do(pipeline, prune.DUTY)
    assert fetch_one(conn, "SELECT count(*) AS n FROM workers") == {"n": 1}


@pytest.mark.parametrize(
    ("steps", "days_ago", "is_deleted"),
    [
        ([31 * DAY], 0.5, False),
        ([31 * DAY, -HOUR], 0.5, False),
        ([31 * DAY, -31 * DAY], 0.5, True),
        ([31 * DAY], 1.5, True),
        ([HOUR / 2], 0.5, True),
        ([-31 * DAY], 0.5, True),
    ],
)
def test_deletes_nothing_for_a_day_after_the_clock_was_set_forward(
    pipeline: Pipeline, conn: Connection, steps: list[float], days_ago: float, is_deleted: bool
) -> None:
    for step in steps:
        conn.execute(
            "INSERT INTO clock_steps (noticed_at, seconds, total, worker_id)"
            " SELECT now() - make_interval(secs => %s), %s,"
            " %s + coalesce((SELECT total FROM clock_steps ORDER BY id DESC LIMIT 1), 0), gen_random_uuid()",
            (days_ago * DAY, step, step),
        )
    conn.execute(
        "CREATE TABLE job_history_20200101 PARTITION OF job_history FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')"
    )
    said = do(pipeline, prune.DUTY)["said"]
    assert (
        fetch_one(conn, "SELECT to_regclass('job_history_20200101') IS NULL AS gone") == {"gone": True}
    ) is is_deleted
    assert (said == "Partitions dropped: job_history_20200101") is is_deleted


def test_deletes_tags_unused_for_an_hour(pipeline: Pipeline, conn: Connection, workspace: UUID) -> None:
    conn.execute("INSERT INTO documents (workspace_id, name, tags) VALUES (%s, 'a', '{sea}')", (workspace,))
    conn.execute("INSERT INTO tags (workspace_id, name) SELECT %s, 'tag ' || generate_series(1, 120)", (workspace,))
    assert do(pipeline, tags.DUTY)["said"] is None, "they were created just now"
    conn.execute("UPDATE tags SET looked_at = now() - interval '2 hours'")
    assert do(pipeline, tags.DUTY)["said"] == "Unused tags deleted: 120"
    assert conn.execute("SELECT name FROM tags").fetchall() == [{"name": "sea"}]


def test_a_duty_that_needs_a_locked_row_is_postponed_without_an_error(pipeline: Pipeline) -> None:
    def act(context: DutyContext) -> str | None:
        raise Locked

    assert do(pipeline, Duty("act", 60.0, act)) == {}, "it was rolled back, and is still due"
