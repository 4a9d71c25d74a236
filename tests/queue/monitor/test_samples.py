"""Tests of samples and of the measures derived from them."""

from __future__ import annotations

from uuid import UUID

import psycopg
import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Completion, JobFailure
from docyard.model.tiers import Tier
from docyard.queue import monitor
from docyard.queue.monitor import sampler
from docyard.queue.monitor.sampler import COMMIT_LAG_SECONDS
from docyard.store import documents
from tests.queue.queue_workers import (
    POOL,
    claim_committed,
    claim_one,
    enqueue_committed,
    insert_jobs,
    make_job,
    register_worker_committed,
)


def sample_queue(conn: Connection, lag: float = 0.0) -> monitor.Sample:
    with conn.transaction():
        monitor.take_sample(conn, lag=lag)
    sample = monitor.get_latest_sample(conn)
    assert sample
    return sample


def add_document(conn: Connection, workspace: UUID) -> UUID:
    made = "INSERT INTO documents (workspace_id, name) VALUES (%s, 'd') RETURNING id"
    row = conn.execute(made, (workspace,)).fetchone()
    assert row
    return UUID(str(row["id"]))


def age_samples(conn: Connection, seconds: float) -> None:
    conn.execute("UPDATE queue_samples SET taken_at = taken_at - make_interval(secs => %s)", (seconds,))


def test_depth_is_counted_by_pool_and_tier_with_the_oldest_wait(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    insert_jobs(conn, workspace, Tier.USER_UPLOAD, 3)
    enqueue_committed(
        database, make_job(workspace, tier=Tier.LOW, delay_seconds=60), make_job(workspace, tier=Tier.LOW)
    )
    conn.execute(
        "UPDATE jobs SET arrived_at = now() - interval '50 s', created_at = now() - interval '40 s' WHERE tier = 0"
    )
    claim_committed(database, register_worker_committed(database), 1)
    conn.execute(
        "INSERT INTO jobs (workspace_id, pool, tier, type, fence, arrived_at, created_at)"
        " VALUES (%s, %s, 2, 'again', 3, now() - interval '1 day', now() - interval '1 day')",
        (workspace, POOL),
    )
    uploads, low = sample_queue(conn).depth
    assert (uploads.pool, uploads.tier, uploads.pending, uploads.running) == (POOL, 0, 2, 1)
    assert uploads.oldest is not None
    assert 40 <= uploads.oldest < 49, "the wait starts when the job can first be claimed"
    assert (low.tier, low.pending, low.scheduled, low.running, low.waiting) == (2, 2, 1, 0, 0)
    assert low.oldest is not None
    assert low.oldest < 20, "jobs that were claimed before do not count"


def test_each_ended_document_is_counted_once(conn: Connection, workspace: UUID) -> None:
    easy, hard, lost, partly = (add_document(conn, workspace) for _ in range(4))
    conn.execute("UPDATE documents SET created_at = now() - interval '45 s' WHERE id = %s", (hard,))
    documents.mark_completed(conn, easy, 1.0)
    documents.mark_waiting(conn, hard, 1.0, category="timeout", reason="slow")
    documents.mark_waiting(conn, hard)
    documents.mark_completed(conn, hard, 1.0)
    first = sample_queue(conn).ended
    assert (first.completed, first.failed) == (2, 0)
    assert first.within == (1, 1, 2, 2, 2, 2, 2, 2)
    assert 45 <= first.seconds < 60
    assert sample_queue(conn).ended == first
    documents.mark_failed(conn, lost, 1.0, category="corrupt", reason="torn")
    documents.mark_waiting(conn, partly, 1.0, category="crash", reason="crashed")
    documents.mark_completed(conn, partly, 1.0, category="crash", reason="crashed")
    second = sample_queue(conn)
    assert (second.ended.completed, second.ended.failed) == (3, 1)
    assert (second.count("troubled"), second.count("recovered")) == (3, 1)


def test_a_document_with_failed_attempts_counts_by_its_last_outcome(conn: Connection, workspace: UUID) -> None:
    one = add_document(conn, workspace)
    documents.mark_failed(conn, one, 1.0, category="crash", reason="crashed")
    assert measure_recovery(conn) == 0
    documents.mark_restarted(conn, [one])
    assert measure_recovery(conn) is None, "it has not ended"
    documents.mark_completed(conn, one, 1.0, category="crash", reason="crashed")
    assert measure_recovery(conn) == 0, "a part is missing"
    documents.mark_restarted(conn, [one])
    documents.mark_completed(conn, one, 1.0)
    assert measure_recovery(conn) == 1
    conn.execute("UPDATE documents SET first_completed_at = now() - interval '2 days'")
    assert measure_recovery(conn) is None, "processing a document again does not count"
    documents.mark_failed(conn, one, 1.0, category="crash", reason="crashed")
    assert measure_recovery(conn) == 0, "unless it fails"
    conn.execute("UPDATE documents SET completed_at = now() - interval '2 days'")
    assert measure_recovery(conn) is None


def measure_recovery(conn: Connection) -> float | None:
    sample_queue(conn)
    return monitor.get_success(conn).recovery_rate


def test_only_failed_attempts_count_as_failures(conn: Connection, workspace: UUID) -> None:
    one = add_document(conn, workspace)
    documents.mark_waiting(conn, one)
    documents.mark_waiting(conn, one, category="timeout", reason="slow")
    documents.mark_failed(conn, one, 1.0, category="corrupt", reason="torn")
    documents.mark_waiting(conn, one)
    assert conn.execute("SELECT failures FROM documents").fetchone() == {"failures": 2}


def test_an_uncommitted_ending_is_counted_by_a_later_sample(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    one = add_document(conn, workspace)
    with database.transaction() as slow:
        documents.mark_completed(slow, one, 1.0)
        assert sample_queue(conn, COMMIT_LAG_SECONDS).ended.completed == 0
    assert sample_queue(conn, COMMIT_LAG_SECONDS).ended.completed == 0
    assert sample_queue(conn).ended.completed == 1


def test_dead_letters_and_stuck_documents_are_counted(database: Database, conn: Connection, workspace: UUID) -> None:
    enqueue_committed(database, make_job(workspace))
    lease = claim_one(database, register_worker_committed(database))
    with database.transaction() as transaction:
        queue.settle(transaction, [JobFailure(lease, "corrupt", "torn", final=True)])
    stuck, ended, gone, _ = (add_document(conn, workspace) for _ in range(4))
    conn.execute(
        "UPDATE documents SET updated_at = now() - interval '2 hours' WHERE id = ANY (%s)", ([stuck, ended, gone],)
    )
    conn.execute("UPDATE documents SET status = 'completed', completed_at = now() WHERE id = %s", (ended,))
    conn.execute("UPDATE documents SET deleted_at = now() WHERE id = %s", (gone,))
    sample = sample_queue(conn)
    assert (sample.count("dead"), sample.count("stuck"), sample.stuck_documents) == (1, 1, [stuck])
    assert [line.id for line in monitor.find_stuck_documents(conn)] == [stuck]


def test_the_vacuum_blocker_is_reported_with_its_age(
    database: Database, conn: Connection, database_address: str
) -> None:
    assert sample_queue(conn).holder is None
    with psycopg.connect(database_address, application_name="report") as reader:
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT FROM jobs")
        holder = sample_queue(conn).holder
        assert holder
        assert (holder.kind, holder.name, holder.pid) == ("transaction", "report", reader.info.backend_pid)
        assert 0 <= holder.seconds < 60
    assert {table.name for table in sample_queue(conn).tables} == {"jobs", "lanes", "pools", "tallies"}


def test_the_age_of_a_slot_counts_from_its_first_sample(conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    slot = "SELECT 'replication slot' AS kind, 'standby' AS name, NULL::integer AS pid, NULL::float8 AS seconds,"
    texts = {**sampler._SQL, "holders": f"{slot} '77' AS xmin".encode()}
    monkeypatch.setattr(sampler, "_SQL", texts)
    sample_queue(conn)
    conn.execute(
        "UPDATE queue_samples SET facts = jsonb_set(facts, '{slots,standby,1}',"
        " to_jsonb((clock_timestamp() - interval '400 s')::text))"
    )
    holder = sample_queue(conn).holder
    assert holder
    assert 400 <= holder.seconds < 430
    texts["holders"] = f"{slot} '78' AS xmin".encode()
    moved = sample_queue(conn).holder
    assert moved
    assert moved.seconds < 30, "the slot has advanced since"


def test_pruning_keeps_the_newest_sample(conn: Connection) -> None:
    for _ in range(3):
        sample_queue(conn)
        age_samples(conn, 4 * 86_400)
    assert monitor.prune_samples(conn) == 2
    age_samples(conn, 30 * 86_400)
    assert monitor.prune_samples(conn) == 0
    assert monitor.get_latest_sample(conn) is not None


def fail_jobs(database: Database, workspace: UUID, worker: UUID, count: int) -> None:
    enqueue_committed(database, *(make_job(workspace) for _ in range(count)))
    with database.transaction() as transaction:
        leases = queue.claim(transaction, POOL, worker, count)
        queue.settle(transaction, [JobFailure(lease, "corrupt", "torn", final=True) for lease in leases])


def test_failures_are_counted_for_the_last_hour_and_the_one_before(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = register_worker_committed(database)
    fail_jobs(database, workspace, worker, 4)
    sample_queue(conn)
    age_samples(conn, 4000)
    fail_jobs(database, workspace, worker, 2)
    sample_queue(conn)
    age_samples(conn, 3700)
    fail_jobs(database, workspace, worker, 1)
    found = monitor.get_success(conn)
    assert (found.failures_last_hour, found.failures_hour_before) == (1, 2)


def test_success_is_measured_between_samples(conn: Connection, workspace: UUID) -> None:
    assert monitor.get_success(conn).sample_age is None
    documents.mark_completed(conn, add_document(conn, workspace), 1.0)
    sample_queue(conn)
    age_samples(conn, 20 * 3600)
    assert monitor.get_success(conn).completed == 1, "without an older sample, everything counts"
    age_samples(conn, 5 * 3600)
    troubled = add_document(conn, workspace)
    documents.mark_waiting(conn, troubled, category="timeout", reason="slow")
    documents.mark_completed(conn, troubled, 1.0)
    documents.mark_failed(conn, add_document(conn, workspace), 1.0, category="corrupt", reason="torn")
    sample_queue(conn)
    found = monitor.get_success(conn)
    assert (found.completed, found.failed, found.recovery_rate) == (1, 1, 0.5)
    assert found.mean_seconds is not None
    assert found.within_seconds == 10.0


def test_after_a_gap_counting_starts_at_the_first_later_sample(conn: Connection) -> None:
    for _ in range(3):
        sample_queue(conn)
    rows = conn.execute("SELECT taken_at FROM queue_samples ORDER BY taken_at").fetchall()
    for row, age in zip(rows, (5 * 86_400, 500, 100), strict=True):
        conn.execute(
            "UPDATE queue_samples SET taken_at = clock_timestamp() - make_interval(secs => %s) WHERE taken_at = %s",
            (age, row["taken_at"]),
        )
    ages = {
        wanted_age: round(found.age, -1)
        for wanted_age, found in monitor.find_samples_since(conn, (60, 300, 600, 864_000)).items()
    }
    assert ages == {60: 100, 300: 500, 600: 500}


def test_a_sample_contains_the_totals_of_the_tallies(database: Database, conn: Connection, workspace: UUID) -> None:
    insert_jobs(conn, workspace, Tier.LOW, 2)
    worker = register_worker_committed(database)
    with database.transaction() as transaction:
        queue.settle(transaction, [Completion(lease) for lease in queue.claim(transaction, POOL, worker, 1)])
    sample = sample_queue(conn)
    assert sample.totals == monitor.load_totals(conn)
    claim_committed(database, worker, 1)
    gained = {total.event: total.jobs for total in monitor.subtract_totals(monitor.load_totals(conn), sample.totals)}
    assert gained == {"claimed": 1, "done": 0}


def test_time_to_completion_counts_the_first_completion_only(conn: Connection, workspace: UUID) -> None:
    one, other = add_document(conn, workspace), add_document(conn, workspace)
    conn.execute("UPDATE documents SET created_at = now() - interval '45 s'")
    documents.mark_completed(conn, one, 1.0)
    first = sample_queue(conn).ended
    assert first.completed == 1
    conn.execute("UPDATE documents SET created_at = now() - interval '2 hours'")
    documents.mark_waiting(conn, one)  # queued again, as by "Classify again"
    documents.mark_completed(conn, one, 1.0)
    assert sample_queue(conn).ended == first
    documents.mark_completed(conn, other, 1.0)
    conn.execute("UPDATE documents SET status = 'pending', completed_at = NULL WHERE id = %s", (other,))
    assert sample_queue(conn).ended.completed == 2, "a document that is queued again was completed all the same"
