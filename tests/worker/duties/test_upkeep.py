"""Scheduling of duties: each runs once for the fleet, and an error in one does not stop the others."""

from __future__ import annotations

import pkgutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import psycopg
import pytest

from docyard import log, queue
from docyard.intake import Arrival, receive
from docyard.model.jobs import NewJob
from docyard.pipeline.run import Pipeline
from docyard.queue import control, monitor
from docyard.worker import WorkerOptions, duties, run_worker, upkeep
from docyard.worker.duties import DUTIES, Duty, DutyContext, promote, reap
from docyard.worker.stop_request import StopRequest
from tests.worker.duties.duty_runs import CountingDuty, do, load_duty, make_due, make_upkeep


def test_every_duty_has_a_file_and_an_entry() -> None:
    files = {module.name for module in pkgutil.iter_modules(duties.__path__)} - {"duty"}
    assert {duty.name for duty in DUTIES} == files
    assert len(DUTIES) == len(files)
    assert reap.DUTY.period(WorkerOptions(lease_seconds=30.0)) == 5.0


def test_reads_the_list_of_duties_when_a_worker_starts(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = CountingDuty()
    monkeypatch.setattr(upkeep, "DUTIES", (counted.duty,))
    run_worker(pipeline, WorkerOptions(slots=1, single_run=True), StopRequest())
    with pipeline.db.transaction() as conn:
        assert [row.duty for row in control.list_duties(conn)] == ["count"]


def test_one_of_many_workers_runs_a_due_duty_once(pipeline: Pipeline) -> None:
    counted = CountingDuty()
    together = threading.Barrier(4)

    def run_upkeep(_: int) -> None:
        upkeep = make_upkeep(pipeline, counted.duty)
        together.wait()
        upkeep.run_due()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(run_upkeep, range(4)))
        assert counted.times == 1
        make_due(pipeline.db, "count")
        list(threads.map(run_upkeep, range(4)))
    assert counted.times == 2
    assert load_duty(pipeline.db, "count")["said"] == "2 times"


def test_an_idle_worker_queries_once_for_all_duties(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    upkeep = make_upkeep(pipeline, *DUTIES)
    upkeep.run_due()
    called: list[str] = []
    for name in ("get_duty_ages", "begin_duty"):
        monkeypatch.setattr(control, name, _record_calls(called, name, getattr(control, name)))
    for _ in range(20):
        upkeep.run_due()
    assert called == [], "it remembers that nothing is due yet"
    make_upkeep(pipeline, *DUTIES).run_due()
    assert called == ["get_duty_ages"]


def _record_calls(called: list[str], name: str, function: Callable[..., object]) -> Callable[..., object]:
    def wrapper(*args: object) -> object:
        called.append(name)
        return function(*args)

    return wrapper


def test_a_frozen_worker_blocks_only_its_duty_until_its_transaction_ends(
    pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: list[object] = []
    monkeypatch.setattr(log, "fail", lambda *words, **facts: failures.append(facts))
    frozen, other = CountingDuty("frozen"), CountingDuty("other")
    waiting = make_upkeep(pipeline, frozen.duty, other.duty)
    with pipeline.db.connect() as holder, holder.transaction(force_rollback=True):
        assert control.begin_duty(holder, "frozen", 0.0)
        pause = waiting.run_due()
        assert (frozen.times, other.times) == (0, 1)
        assert pause <= 1.0, "a worker that finds the duty locked checks again soon"
        assert failures == [], "no worker waits for the lock until a timeout"
    threading.Event().wait(pause)
    while not frozen.times:
        threading.Event().wait(waiting.run_due())
    assert (frozen.times, other.times) == (1, 1)


def _break_python(context: DutyContext) -> str | None:
    raise ValueError("not like this")


def _break_statement(context: DutyContext) -> str | None:
    context.conn.execute("UPDATE workers SET slots = 1 / 0")
    context.conn.execute("SELECT 1 / 0")
    return None


def _break_connection(context: DutyContext) -> str | None:
    context.conn.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    return None


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (_break_python, "ValueError: not like this"),
        (_break_statement, "division by zero"),
        (_break_connection, "Unavailable"),
    ],
)
def test_saves_the_error_of_a_duty_and_runs_the_others(
    pipeline: Pipeline, act: Callable[[DutyContext], str | None], error: str
) -> None:
    after = CountingDuty("after")
    make_upkeep(pipeline, Duty("broken", 3600.0, act), after.duty).run_due()
    assert after.times == 1
    row = load_duty(pipeline.db, "broken")
    assert error in row["error"]
    assert row["failed_at"] >= row["began_at"]
    repaired = CountingDuty("broken")
    make_upkeep(pipeline, repaired.duty).run_due()
    assert repaired.times == 0, "the duty is not due yet, on any worker"
    row = do(pipeline, repaired.duty)
    assert (row["error"], row["failed_at"], row["said"]) == (None, None, "1 times")


def test_logs_one_line_if_a_duty_loses_its_connection(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    failed: list[str] = []
    warned: list[tuple[str, dict[str, object]]] = []
    monkeypatch.setattr(log, "fail", lambda name, *_, **facts: failed.append(name))
    monkeypatch.setattr(log, "warn", lambda name, **facts: warned.append((name, facts)))
    make_upkeep(pipeline, Duty("broken", 3600.0, _break_connection)).run_due()
    assert failed == [], "no traceback"
    ((name, facts),) = warned
    assert (name, facts["duty"]) == ("duty_failed", "broken")
    assert "cannot be reached" in str(facts["error"])


def test_rolls_back_a_duty_that_fails(pipeline: Pipeline, workspace: UUID) -> None:
    def half(context: DutyContext) -> str | None:
        queue.enqueue(context.conn, [NewJob(workspace, "fetch", "half")])
        raise ValueError("half way")

    make_upkeep(pipeline, Duty("half", 3600.0, half)).run_due()
    with pipeline.db.transaction() as conn:
        assert monitor.count_backlog(conn).states == {}


def test_processes_documents_although_a_duty_fails(pipeline: Pipeline, workspace: UUID) -> None:
    arrival = Arrival(workspace, "note.txt", "upload")
    receive(pipeline.db, pipeline.blobs, pipeline.limits, arrival, [b"Read all the same."])
    with pipeline.db.transaction() as conn:
        conn.execute("ALTER TABLE retry_budgets RENAME TO mislaid")
    run_worker(pipeline, WorkerOptions(slots=1, single_run=True), StopRequest())
    with pipeline.db.transaction() as conn:
        assert conn.execute("SELECT status FROM documents").fetchone() == {"status": "completed"}
        errors = {row.duty: row.error for row in control.list_duties(conn) if row.error}
        done = {row.duty for row in control.list_duties(conn) if not row.error}
    assert list(errors) == ["budgets"]
    assert "retry_budgets" in errors["budgets"]
    assert done == {duty.name for duty in DUTIES} - {"budgets"}


def test_sleeps_until_the_next_scheduled_job_is_due(pipeline: Pipeline, workspace: UUID) -> None:
    upkeep = make_upkeep(pipeline, *DUTIES)
    upkeep.run_due()
    upkeep = make_upkeep(pipeline, *DUTIES)
    with pipeline.db.transaction() as conn:
        queue.enqueue(conn, [NewJob(workspace, "fetch", "later", delay_seconds=0.4)])
    pause = upkeep.run_due()
    assert 0 < pause <= 0.4
    runs = 0
    while _state(pipeline) == "scheduled":
        threading.Event().wait(pause)
        pause = upkeep.run_due()
        runs += 1
    assert _state(pipeline) == "pending"
    assert runs <= 3, "it slept until the job was due"
    assert upkeep.run_due() <= WorkerOptions().poll_interval


def test_promotes_a_job_that_became_due_during_a_promotion(pipeline: Pipeline, workspace: UUID) -> None:
    upkeep = make_upkeep(pipeline, promote.DUTY)
    upkeep.run_due()
    with pipeline.db.connect() as other, other.transaction():
        assert control.begin_duty(other, "promote", 0.0)
        upkeep = make_upkeep(pipeline, promote.DUTY)
        with pipeline.db.transaction() as conn:
            conn.execute(
                "INSERT INTO jobs (workspace_id, pool, tier, type, state, run_at)"
                " VALUES (%s, 'fetch', 1, 'test', 'scheduled', now())",
                (workspace,),
            )
        assert upkeep.run_due() <= 0.05, "the other worker may have checked too early"
    threading.Event().wait(0.06)
    upkeep.run_due()
    assert _state(pipeline) == "pending"


def test_promotes_more_jobs_than_one_batch(pipeline: Pipeline, workspace: UUID) -> None:
    with pipeline.db.transaction() as conn:
        conn.execute(
            "INSERT INTO jobs (workspace_id, pool, tier, type, state, run_at)"
            " SELECT %s, 'fetch', 1, 'test', 'scheduled', now() FROM generate_series(1, 1500)",
            (workspace,),
        )
    upkeep = make_upkeep(pipeline, promote.DUTY)
    for _ in range(20):
        threading.Event().wait(upkeep.run_due())
        with pipeline.db.transaction() as conn:
            if monitor.count_backlog(conn).states == {"pending": 1500}:
                return
    raise AssertionError("some jobs were not promoted")


def _state(pipeline: Pipeline) -> str:
    with pipeline.db.transaction() as conn:
        row = conn.execute("SELECT state FROM jobs").fetchone()
    return str((row or {})["state"])


def test_pauses_after_a_failed_promotion(pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = []

    def refuse(conn: object) -> tuple[int, float | None]:
        attempts.append(conn)
        raise psycopg.errors.InternalError("no")

    monkeypatch.setattr(queue, "promote_due", refuse)
    with pipeline.db.transaction() as conn:
        conn.execute(
            "INSERT INTO jobs (workspace_id, pool, tier, type, state, run_at)"
            " VALUES (%s, 'fetch', 1, 'test', 'scheduled', now())",
            (workspace,),
        )
    upkeep = make_upkeep(pipeline, promote.DUTY)
    for _ in range(3):
        threading.Event().wait(upkeep.run_due())
    assert len(attempts) == 1
