"""Settlement of finished jobs in batches; an error in one job does not affect the others."""

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
from docyard.worker.settlements import JobResult
from docyard.worker.stop_request import StopRequest

JOBS = 40


@pytest.fixture
def effects(database: Database) -> None:
    """A table for the effects of jobs, without constraints, so that duplicates are detected."""
    with database.transaction() as conn:
        conn.execute("CREATE TABLE effects (job_id uuid)")


@pytest.fixture
def handlers() -> Iterator[dict[str, Handler]]:
    """The registered handlers, restored afterwards."""
    before = dict(HANDLERS)
    yield HANDLERS
    HANDLERS.clear()
    HANDLERS.update(before)


def write(lease: Lease) -> JobResult:
    """Return a result whose effect writes the id of the job."""
    return JobResult(lambda conn: _write(conn, lease))


def _write(conn: Connection, lease: Lease) -> None:
    conn.execute("INSERT INTO effects VALUES (%s)", (lease.job_id,))


def add(database: Database, workspace: UUID, count: int = JOBS, **more: object) -> list[UUID]:
    """Enqueue jobs numbered from 0."""
    jobs = [NewJob(workspace, "fetch", "count", payload={"number": n}, **more) for n in range(count)]  # type: ignore[arg-type]
    with database.transaction() as conn:
        return queue.enqueue(conn, jobs)


def work(pipeline: Pipeline, slots: int = JOBS) -> None:
    """Run a worker once."""
    run_worker(pipeline, WorkerOptions(slots=slots, single_run=True), StopRequest())


def column(database: Database, query: str) -> list[object]:
    """Return the only column of a query."""
    with database.transaction() as conn:
        return [next(iter(row.values())) for row in conn.execute(query.encode())]


@pytest.mark.usefixtures("effects")
def test_writes_each_effect_once_with_its_job(
    pipeline: Pipeline, workspace: UUID, handlers: dict[str, Handler]
) -> None:
    handlers["count"] = lambda _pipeline, lease, _lost: write(lease)
    jobs = add(pipeline.db, workspace)
    work(pipeline)
    assert Counter(column(pipeline.db, "SELECT job_id FROM effects")) == Counter(jobs)
    assert column(pipeline.db, "SELECT DISTINCT outcome FROM job_history") == ["done"]


def test_many_jobs_share_a_commit(pipeline: Pipeline, workspace: UUID, handlers: dict[str, Handler]) -> None:
    handlers["count"] = lambda _pipeline, _lease, _lost: JobResult()
    add(pipeline.db, workspace)
    work(pipeline)
    (commits,) = column(pipeline.db, "SELECT count(DISTINCT xmin::text) FROM job_history")
    assert column(pipeline.db, "SELECT count(*) FROM job_history") == [JOBS]
    assert isinstance(commits, int)
    assert commits < JOBS / 2


@pytest.mark.usefixtures("effects")
@pytest.mark.parametrize("how", ["sql", "python"])
def test_an_effect_that_raises_does_not_affect_other_jobs(
    pipeline: Pipeline, workspace: UUID, handlers: dict[str, Handler], how: str
) -> None:
    def fail(conn: Connection) -> None:
        conn.execute("SELECT 1 / 0" if how == "sql" else "SELECT 1")
        raise KeyError("no such thing")

    def count(_: Pipeline, lease: Lease, __: object) -> JobResult:
        return JobResult(fail) if lease.payload["number"] == 7 else write(lease)

    handlers["count"] = count
    jobs = add(pipeline.db, workspace, max_attempts=1)
    work(pipeline)
    assert Counter(column(pipeline.db, "SELECT job_id FROM effects")) == Counter(
        [job for number, job in enumerate(jobs) if number != 7]
    )
    assert column(pipeline.db, "SELECT id FROM dead_letters WHERE category = 'internal'") == [jobs[7]]


@pytest.mark.usefixtures("effects")
def test_refuses_only_the_lost_job_and_its_effect(
    pipeline: Pipeline, workspace: UUID, handlers: dict[str, Handler]
) -> None:
    def count(pipeline: Pipeline, lease: Lease, _: object) -> JobResult:
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


def test_settles_done_failed_and_snoozed_jobs_in_one_batch(
    pipeline: Pipeline, workspace: UUID, handlers: dict[str, Handler]
) -> None:
    def count(_: Pipeline, lease: Lease, __: object) -> JobResult:
        number = lease.payload["number"]
        if number == 1:
            raise Retry("network", "The line is down.")
        if number == 2:
            raise Wait("rate_limit", "Later.", 600)
        return JobResult()

    handlers["count"] = count
    jobs = add(pipeline.db, workspace, 10)
    work(pipeline)
    assert column(pipeline.db, "SELECT count(*) FROM job_history") == [8]
    waiting = column(pipeline.db, "SELECT id || ' ' || state || ' ' || attempts FROM jobs ORDER BY attempts DESC")
    assert waiting == [f"{jobs[1]} scheduled 1", f"{jobs[2]} scheduled 0"]


def test_settles_immediately_if_no_other_job_is_running(
    pipeline: Pipeline, workspace: UUID, handlers: dict[str, Handler], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The test would never end if a single job waited for others.
    monkeypatch.setattr("docyard.worker.settlements.LINGER_SECONDS", 1_000_000.0)
    handlers["count"] = lambda _pipeline, _lease, _lost: JobResult()
    add(pipeline.db, workspace, 1)
    work(pipeline, slots=8)
    assert column(pipeline.db, "SELECT outcome FROM job_history") == ["done"]
