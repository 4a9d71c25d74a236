"""Rows locked by another transaction: jobs that need them wait without an attempt, and nothing else waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from uuid import UUID, uuid4

import psycopg
import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Retry
from docyard.model.jobs import Lease, NewJob, Worker
from docyard.pipeline.run import Pipeline
from docyard.worker.execution import HANDLERS
from docyard.worker.leases import Leases
from docyard.worker.recovery import recover
from docyard.worker.settlements import JobResult
from docyard.worker.worker import WorkerSession
from tests.queue.queue_workers import register_worker_committed
from tests.worker.worker_runs import OPTIONS, fetch_row, fetch_rows, run_in_thread, upload_text, wait_until

MANY_SLOTS = replace(OPTIONS, slots=20)


@pytest.fixture
def impatient(pipeline: Pipeline, database_address: str) -> Iterator[Pipeline]:
    """A pipeline whose connections wait for a lock only briefly."""
    db = Database(lambda: database_address, size=10, lock_seconds=0.3)
    yield replace(pipeline, db=db)
    db.close()


@contextmanager
def _hold(address: str, query: str, *params: object) -> Iterator[None]:
    """Lock rows in a transaction of another program."""
    with psycopg.connect(address) as conn:
        conn.execute(query.encode(), params)
        yield
        conn.rollback()


def _add(pipeline: Pipeline, workspace: UUID, count: int, pool: str = "fetch") -> list[UUID]:
    with pipeline.db.transaction() as conn:
        return queue.enqueue(conn, [NewJob(workspace, pool, "count") for _ in range(count)])


def _count_done(pipeline: Pipeline) -> int:
    return int(fetch_row(pipeline, "SELECT count(*) AS n FROM job_history")["n"])


def test_a_locked_job_does_not_hold_up_the_others_of_its_batch(
    impatient: Pipeline, workspace: UUID, database_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = _add(impatient, workspace, 20)
    with psycopg.connect(database_address) as other:

        def lock_own_job(_: Pipeline, lease: Lease, __: object) -> JobResult:
            if lease.job_id == jobs[7] and lease.fence == 1:
                other.execute("SELECT FROM jobs WHERE id = %s FOR UPDATE", (lease.job_id,))
            return JobResult()

        monkeypatch.setitem(HANDLERS, "count", lock_own_job)
        with run_in_thread(impatient, MANY_SLOTS):
            wait_until(lambda: _count_done(impatient) == 19, "the other jobs")
            other.rollback()
            wait_until(lambda: _count_done(impatient) == 20, "the job that was locked")
    assert fetch_rows(impatient, "SELECT DISTINCT attempts FROM job_history") == [{"attempts": 1}]
    assert fetch_rows(impatient, "SELECT FROM dead_letters") == []


def test_a_job_whose_effect_needs_a_locked_row_waits_without_an_attempt(
    impatient: Pipeline, workspace: UUID, database_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rename(conn: Connection) -> None:
        conn.execute("UPDATE workspaces SET name = name || '!'")

    monkeypatch.setitem(HANDLERS, "count", lambda *_: JobResult(rename))
    (job,) = _add(impatient, workspace, 1)
    snoozed = "SELECT attempts, failure_history FROM jobs WHERE state = 'scheduled' AND id = %s"
    with run_in_thread(impatient):
        with _hold(database_address, "SELECT FROM workspaces FOR UPDATE"):
            row = wait_until(lambda: fetch_row(impatient, snoozed, job), "the job to wait")
            assert (row["attempts"], row["failure_history"][0]["category"]) == (0, "locked")
        wait_until(lambda: _count_done(impatient) == 1, "the job")


def test_a_locked_pool_does_not_hold_up_other_pools(
    impatient: Pipeline, workspace: UUID, database_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(HANDLERS, "count", lambda *_: JobResult())
    monkeypatch.setattr("docyard.worker.worker._SKIP_LOCKED_POOL_SECONDS", 0.5)
    _add(impatient, workspace, 1, "extract")
    with run_in_thread(impatient):
        with _hold(database_address, "SELECT FROM pools WHERE pool = 'extract' FOR UPDATE"):
            _add(impatient, workspace, 3)
            wait_until(lambda: _count_done(impatient) == 3, "the jobs of the other pool")
        wait_until(lambda: _count_done(impatient) == 4, "the job of the pool that was locked")


@pytest.mark.parametrize("lock", ["SELECT FROM workers FOR UPDATE", "LOCK TABLE workers IN SHARE MODE"])
def test_a_worker_whose_own_row_is_locked_keeps_its_jobs_and_claims(
    impatient: Pipeline, workspace: UUID, database_address: str, monkeypatch: pytest.MonkeyPatch, lock: str
) -> None:
    running, finishing = threading.Event(), threading.Event()

    def run(*_: object) -> JobResult:
        running.set()
        assert finishing.wait(60)
        return JobResult()

    monkeypatch.setitem(HANDLERS, "count", run)
    _add(impatient, workspace, 1)
    completed = "SELECT id FROM documents WHERE id = %s AND status = 'completed'"
    overdue = "SELECT id FROM workers WHERE heartbeat_at < clock_timestamp() - make_interval(secs => 2 * lease_seconds)"
    with run_in_thread(impatient, replace(OPTIONS, slots=2)):
        assert running.wait(60)
        with _hold(database_address, lock):
            wait_until(lambda: fetch_row(impatient, overdue), "the end of two leases")
            document = upload_text(impatient, workspace, "Claimed while the lock is held.")
            wait_until(lambda: fetch_row(impatient, completed, document), "the document")
            finishing.set()
            wait_until(lambda: _count_done(impatient) == 2, "the job that ran all the time")
    assert fetch_row(impatient, "SELECT count(*) AS n, sum(rejected)::int AS r FROM workers") == {"n": 1, "r": 0}
    ended = fetch_rows(impatient, "SELECT DISTINCT attempts, failure_history FROM job_history")
    assert ended == [{"attempts": 1, "failure_history": []}]


def test_a_lost_job_with_a_locked_document_is_returned_without_an_attempt(
    impatient: Pipeline, workspace: UUID, database_address: str
) -> None:
    held, free = (upload_text(impatient, workspace, f"Document {n}") for n in range(2))
    lost, reaper = (Worker(uuid4(), "host", 1, ("fetch",), 2, 30.0) for _ in range(2))
    with impatient.db.transaction() as conn:
        queue.register(conn, lost)
        queue.register(conn, reaper)
        assert len(queue.claim(conn, "fetch", lost.id, 2)) == 2
        conn.execute("UPDATE workers SET heartbeat_at = '2020-01-01' WHERE id = %s", (lost.id,))
        conn.execute("UPDATE jobs SET started_at = started_at - interval '1 minute'")
    with _hold(database_address, "SELECT FROM documents WHERE id = %s FOR UPDATE", held):
        assert recover(impatient.db, lambda conn: queue.reap(conn, reaper.id)) == 2
        Leases(impatient, reaper.id).return_strays()
        states = "SELECT document_id, state, attempts FROM jobs ORDER BY document_id = %s"
        assert fetch_rows(impatient, states, free) == [
            {"document_id": held, "state": "pending", "attempts": 0},
            {"document_id": free, "state": "pending", "attempts": 1},
        ]
    assert fetch_rows(impatient, "SELECT FROM dead_letters") == []


@pytest.mark.parametrize("lock", ["SELECT FROM jobs FOR UPDATE", "LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE"])
def test_a_stopping_worker_returns_a_locked_job_as_soon_as_the_lock_ends(
    impatient: Pipeline, workspace: UUID, database_address: str, monkeypatch: pytest.MonkeyPatch, lock: str
) -> None:
    running, locked, given_up = threading.Event(), threading.Event(), threading.Event()

    def run(*_: object) -> JobResult:
        running.set()
        assert locked.wait(60)
        return JobResult()

    def release(session: WorkerSession, leases: Sequence[Lease]) -> None:
        drop(session, leases)
        given_up.set()

    drop = WorkerSession._release
    monkeypatch.setattr(WorkerSession, "_release", release)
    monkeypatch.setitem(HANDLERS, "count", run)
    _add(impatient, workspace, 1)
    with run_in_thread(impatient) as stopping:
        assert running.wait(60)
        with _hold(database_address, lock):
            stopping.request_stop()
            locked.set()
            assert given_up.wait(60)
    expected = {"state": "pending", "attempts": 0, "failure_history": []}
    assert fetch_row(impatient, "SELECT state, attempts, failure_history FROM jobs") == expected


def test_a_job_that_stays_locked_until_its_worker_has_stopped_spends_no_attempt(
    impatient: Pipeline, workspace: UUID, database_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(_: Pipeline, __: Lease, lost: Callable[[], bool]) -> JobResult:
        running.set()
        wait_until(lost, "the end of draining")
        raise Retry("worker_lost", "The worker stopped reading the file before it was finished.")

    running = threading.Event()
    monkeypatch.setitem(HANDLERS, "count", run)
    _add(impatient, workspace, 1)
    with run_in_thread(impatient) as stopping:
        assert running.wait(60)
        with _hold(database_address, "SELECT FROM jobs FOR UPDATE"):
            stopping.request_stop()
            stopping.request_stop()
            wait_until(lambda: fetch_rows(impatient, "SELECT FROM workers WHERE state = 'stopped'"), "the sign-off")
    assert fetch_row(impatient, "SELECT state FROM jobs") == {"state": "running"}
    reaper = register_worker_committed(impatient.db)
    assert recover(impatient.db, lambda conn: queue.reap(conn, reaper)) == 1
    row = fetch_row(impatient, "SELECT attempts, failure_history -> -1 ->> 'category' AS category FROM jobs")
    assert row == {"attempts": 0, "category": "locked"}
