"""Finished jobs settled together: what one of them does wrong is its own affair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Retry, Wait
from docyard.model.jobs import Lease, NewJob
from docyard.pipeline.run import Pipeline
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.execution import HANDLERS, Handler
from docyard.worker.settlements import Finished
from docyard.worker.stopping import Stopping

JOBS = 40


@pytest.fixture
def effects(database: Database) -> None:
    """A table for what jobs write; nothing in it keeps a row from being written twice."""
    with database.transaction() as conn:
        conn.execute("CREATE TABLE effects (job_id uuid)")


@pytest.fixture
def handlers() -> Iterator[dict[str, Handler]]:
    """The registered handlers, put back afterwards."""
    before = dict(HANDLERS)
    yield HANDLERS
    HANDLERS.clear()
    HANDLERS.update(before)


def write(lease: Lease) -> Finished:
    """The job is done once its effect is written."""
    return Finished(lambda conn: _write(conn, lease))


def _write(conn: Connection, lease: Lease) -> None:
    conn.execute("INSERT INTO effects VALUES (%s)", (lease.job_id,))


def add(database: Database, workspace: UUID, count: int = JOBS, **more: object) -> list[UUID]:
    """So many jobs with a number each."""
    jobs = [NewJob(workspace, "fetch", "count", payload={"number": n}, **more) for n in range(count)]  # type: ignore[arg-type]
    with database.transaction() as conn:
        return queue.enqueue(conn, jobs)


def work(pipeline: Pipeline, slots: int = JOBS) -> None:
    """Let one worker take what there is."""
    run_worker(pipeline, WorkerOptions(slots=slots, single_run=True), Stopping())


def column(database: Database, query: str) -> list[object]:
    """The one column a query gives."""
    with database.transaction() as conn:
        return [next(iter(row.values())) for row in conn.execute(query.encode())]


@pytest.mark.usefixtures("effects")
def test_effects_are_written_once_and_with_their_jobs(
    pipeline: Pipeline, workspace: UUID, handlers: dict[str, Handler]
) -> None:
    handlers["count"] = lambda _pipeline, lease, _lost: write(lease)
    jobs = add(pipeline.db, workspace)
    work(pipeline)
    assert Counter(column(pipeline.db, "SELECT job_id FROM effects")) == Counter(jobs)
    assert column(pipeline.db, "SELECT DISTINCT outcome FROM job_history") == ["done"]


def test_many_jobs_share_a_commit(pipeline: Pipeline, workspace: UUID, handlers: dict[str, Handler]) -> None:
    handlers["count"] = lambda _pipeline, _lease, _lost: Finished()
    add(pipeline.db, workspace)
    work(pipeline)
    (commits,) = column(pipeline.db, "SELECT count(DISTINCT xmin::text) FROM job_history")
    assert column(pipeline.db, "SELECT count(*) FROM job_history") == [JOBS]
    assert isinstance(commits, int)
    assert commits < JOBS / 2


@pytest.mark.usefixtures("effects")
@pytest.mark.parametrize("how", ["sql", "python"])
def test_an_effect_that_breaks_sinks_no_other(
    pipeline: Pipeline, workspace: UUID, handlers: dict[str, Handler], how: str
) -> None:
    def break_down(conn: Connection) -> None:
        conn.execute("SELECT 1 / 0" if how == "sql" else "SELECT 1")
        raise KeyError("no such thing")

    def count(_: Pipeline, lease: Lease, __: object) -> Finished:
        return Finished(break_down) if lease.payload["number"] == 7 else write(lease)

    handlers["count"] = count
    jobs = add(pipeline.db, workspace, max_attempts=1)
    work(pipeline)
    assert Counter(column(pipeline.db, "SELECT job_id FROM effects")) == Counter(
        [job for number, job in enumerate(jobs) if number != 7]
    )
    assert column(pipeline.db, "SELECT id FROM dead_letters WHERE category = 'internal'") == [jobs[7]]


@pytest.mark.usefixtures("effects")
def test_a_lost_job_has_no_effect_and_is_refused_alone(
    pipeline: Pipeline, workspace: UUID, handlers: dict[str, Handler]
) -> None:
    def count(pipeline: Pipeline, lease: Lease, _: object) -> Finished:
        if lease.payload["number"] == 7:
            with pipeline.db.transaction() as conn:
                conn.execute("UPDATE jobs SET fence = fence + 1 WHERE id = %s", (lease.job_id,))
        return write(lease)

    handlers["count"] = count
    jobs = add(pipeline.db, workspace)
    work(pipeline)
    written = column(pipeline.db, "SELECT job_id FROM effects")
    assert jobs[7] not in written
    assert len(written) == JOBS - 1
    assert column(pipeline.db, "SELECT sum(rejected) FROM workers") == [1]
    assert column(pipeline.db, "SELECT id FROM jobs") == [jobs[7]]


def test_done_failed_and_snoozed_jobs_end_as_they_said(
    pipeline: Pipeline, workspace: UUID, handlers: dict[str, Handler]
) -> None:
    def count(_: Pipeline, lease: Lease, __: object) -> Finished:
        number = lease.payload["number"]
        if number == 1:
            raise Retry("network", "The line is down.")
        if number == 2:
            raise Wait("rate_limit", "Later.", 600)
        return Finished()

    handlers["count"] = count
    jobs = add(pipeline.db, workspace, 10)
    work(pipeline)
    assert column(pipeline.db, "SELECT count(*) FROM job_history") == [8]
    waiting = column(
        pipeline.db, "SELECT id || ' ' || state || ' ' || attempts FROM jobs ORDER BY attempts DESC"
    )
    assert waiting == [f"{jobs[1]} scheduled 1", f"{jobs[2]} scheduled 0"]


def test_a_job_is_settled_at_once_when_nothing_else_runs(
    pipeline: Pipeline, workspace: UUID, handlers: dict[str, Handler], monkeypatch: pytest.MonkeyPatch
) -> None:
    # With such patience the test would never end if a lone job waited for company.
    monkeypatch.setattr("docyard.worker.settlements.LINGER_SECONDS", 1_000_000.0)
    handlers["count"] = lambda _pipeline, _lease, _lost: Finished()
    add(pipeline.db, workspace, 1)
    work(pipeline, slots=8)
    assert column(pipeline.db, "SELECT outcome FROM job_history") == ["done"]
