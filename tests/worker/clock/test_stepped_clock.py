"""Steps of the database's clock by an hour, with real workers: nothing stalls, is lost, or runs early."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic
from uuid import UUID, uuid4

import pytest

from docyard import queue
from docyard.db import Connection
from docyard.model.jobs import Lease, NewJob
from docyard.pipeline.run import Pipeline
from docyard.queue import control, monitor
from docyard.worker import WorkerOptions, clock_watch, duties
from docyard.worker.clock_watch import ClockWatch
from docyard.worker.duties import Duty, DutyContext
from docyard.worker.execution import HANDLERS
from docyard.worker.settlements import JobResult
from docyard.worker.upkeep import Upkeep
from tests.queue.queue_workers import enqueue_committed, register_worker_committed
from tests.worker.clock.stepped_server import SteppedServer
from tests.worker.duties.duty_runs import do_nothing, load_duty
from tests.worker.worker_runs import fetch_row, fetch_rows, run_in_thread, wait_until

HOUR = 3600.0
DELAY = 2.0


class Jobs:
    """A handler that records when each job started, by this process's clock, and can hold jobs back."""

    def __init__(self) -> None:
        self.started: dict[UUID, float] = {}
        self.may_end = threading.Event()

    def run(self, pipeline: Pipeline, lease: Lease, lost: object) -> JobResult:
        self.started[lease.job_id] = monotonic()
        if lease.payload.get("hold"):
            assert self.may_end.wait(60)
        return JobResult()

    def wait_for(self, job: UUID, what: str) -> float:
        started: float = wait_until(lambda: self.started.get(job), what)
        return started


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> Jobs:
    handler = Jobs()
    monkeypatch.setitem(HANDLERS, "test", handler.run)
    return handler


@contextmanager
def run_watching_worker(pipeline: Pipeline) -> Iterator[None]:
    """Run a worker, and begin when it has read the clock for the first time."""
    with run_in_thread(pipeline):
        wait_until(lambda: fetch_rows(pipeline, "SELECT 1 FROM duties WHERE duty = 'reap'"), "the first duties")
        yield


def _enqueue(pipeline: Pipeline, workspace: UUID, pool: str = "extract", **more: object) -> UUID:
    (job,) = enqueue_committed(pipeline.db, NewJob(workspace, pool, "test", **more))  # type: ignore[arg-type]
    return job


def _steps(pipeline: Pipeline) -> list[float]:
    return [round(row["seconds"]) for row in fetch_rows(pipeline, "SELECT seconds FROM clock_steps")]


def _kill_worker_with_job(pipeline: Pipeline, workspace: UUID) -> UUID:
    """Return a job of a worker that has sent its last heartbeat now."""
    worker = register_worker_committed(pipeline.db, lease_seconds=2.0)
    with pipeline.db.transaction() as conn:
        row = conn.execute(
            "INSERT INTO jobs (workspace_id, pool, tier, type, state, worker_id, attempts, fence, started_at,"
            " deadline_at) SELECT %s, 'extract', 2, 'test', 'running', %s, 1, 1, clock_timestamp(),"
            " clock_timestamp() + interval '660 s' RETURNING id",
            (workspace, worker),
        ).fetchone()
    assert row
    job: UUID = row["id"]
    return job


def _open_breaker(pipeline: Pipeline, pool: str) -> None:
    with pipeline.db.transaction() as conn:
        conn.execute(
            "INSERT INTO pool_breakers (pool, state, open_until, trips)"
            " VALUES (%s, 'open', clock_timestamp() + interval '2 s', 1)",
            (pool,),
        )


def test_everything_goes_on_after_a_step_back(
    pipeline: Pipeline, workspace: UUID, server: SteppedServer, jobs: Jobs
) -> None:
    with pipeline.db.transaction() as conn:
        control.limit_pool(conn, "chunk", max_running=None, rate=5.0, burst=1)
    with run_watching_worker(pipeline):
        first = _enqueue(pipeline, workspace, "chunk")
        jobs.wait_for(first, "the first job of the limited pool")
        _open_breaker(pipeline, "classify")
        probe = _enqueue(pipeline, workspace, "classify")
        lost = _kill_worker_with_job(pipeline, workspace)
        scheduled, enqueued_at = _enqueue(pipeline, workspace, delay_seconds=DELAY), monotonic()
        server.set_clock(-HOUR)
        limited = [_enqueue(pipeline, workspace, "chunk") for _ in range(3)]
        for job in limited:
            jobs.wait_for(job, "a job of the limited pool")
        assert jobs.wait_for(scheduled, "the scheduled job") - enqueued_at > DELAY - 0.1, "it never runs early"
        jobs.wait_for(probe, "the probe of the open breaker")
        jobs.wait_for(lost, "the job of the lost worker")
        wait_until(lambda: not fetch_rows(pipeline, "SELECT FROM jobs"), "the end of all jobs")
    assert _steps(pipeline) == [-HOUR]
    assert fetch_rows(pipeline, "SELECT FROM duties WHERE began_at > clock_timestamp()") == []
    with pipeline.db.transaction() as conn:
        step = control.get_latest_step(conn)
    assert step
    assert step.words.startswith("The database's clock stepped back by 3600 s at 2")


def test_a_step_forward_loses_no_worker_and_hastens_no_job(
    pipeline: Pipeline, workspace: UUID, server: SteppedServer, jobs: Jobs
) -> None:
    other = register_worker_committed(pipeline.db, lease_seconds=60.0)
    with run_watching_worker(pipeline):
        running = _enqueue(pipeline, workspace, payload={"hold": True})
        jobs.wait_for(running, "the running job")
        scheduled = _enqueue(pipeline, workspace, delay_seconds=600.0)
        server.set_clock(HOUR)
        wait_until(lambda: _steps(pipeline), "the step")
        since = "SELECT FROM duties WHERE duty = 'reap' AND began_at > (SELECT max(noticed_at) FROM clock_steps)"
        wait_until(lambda: len(fetch_rows(pipeline, since)), "the reaper")
        assert fetch_rows(pipeline, "SELECT DISTINCT state FROM workers") == [{"state": "alive"}]
        assert fetch_row(
            pipeline, "SELECT attempts, fence, failure_history AS failures FROM jobs WHERE id = %s", running
        ) == {"attempts": 1, "fence": 1, "failures": []}
        jobs.may_end.set()
        due = "SELECT extract(epoch FROM run_at - clock_timestamp())::float8 AS seconds FROM jobs WHERE id = %s"
        assert 500 < fetch_row(pipeline, due, scheduled)["seconds"] < 610
        wait_until(lambda: len(fetch_rows(pipeline, "SELECT FROM job_history")), "the end of the running job")
    assert _steps(pipeline) == [HOUR]
    assert fetch_row(pipeline, "SELECT state FROM workers WHERE id = %s", other) == {"state": "alive"}


def test_two_workers_shift_the_times_once(
    pipeline: Pipeline, workspace: UUID, server: SteppedServer, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock_watch, "_NOTE_INTERVAL", 0.1)
    with run_in_thread(pipeline), run_in_thread(pipeline):
        wait_until(partial(_is_checked_by_both, pipeline, "-infinity"), "both workers")
        for offset in (-HOUR, HOUR):
            server.set_clock(offset)
            noticed_at = _wait_for_step(pipeline, offset)
            wait_until(partial(_is_checked_by_both, pipeline, noticed_at), "both workers")
        job = _enqueue(pipeline, workspace)
        jobs.wait_for(job, "a job after both steps")
    assert _steps(pipeline) == [-HOUR, 2 * HOUR]
    assert len(fetch_rows(pipeline, "SELECT FROM workers")) == 2, "none was lost"


_HELD_LOCKS = (
    "UPDATE pools SET paused = paused WHERE pool = 'relate'",
    "UPDATE workers SET host = host WHERE id = %(worker)s",
    "UPDATE jobs SET priority = priority WHERE id = %(job)s",
    "SELECT FROM queue_samples FOR UPDATE",
    "SELECT FROM retry_budgets FOR UPDATE",
    "LOCK TABLE sign_in_links",
)
_LOCKED_TIMES = (
    "SELECT extract(epoch FROM at - clock_timestamp())::float8 AS ahead FROM ("
    "SELECT refilled_at AS at FROM pools WHERE pool = 'relate' UNION ALL SELECT heartbeat_at FROM workers"
    " UNION ALL SELECT created_at FROM jobs UNION ALL SELECT taken_at FROM queue_samples"
    " UNION ALL SELECT period_began FROM retry_budgets UNION ALL SELECT expires_at FROM sign_in_links) times"
)


def test_rows_that_are_locked_during_a_step_stop_nothing_and_are_shifted_later(
    pipeline: Pipeline, workspace: UUID, server: SteppedServer, jobs: Jobs
) -> None:
    worker = register_worker_committed(pipeline.db)
    with pipeline.db.transaction() as conn:
        conn.execute("INSERT INTO retry_budgets (workspace_id, period_began) VALUES (%s, now())", (workspace,))
        conn.execute("INSERT INTO users (email) VALUES ('a@example.com')")
        conn.execute(
            "INSERT INTO sign_in_links (token_hash, user_id, expires_at) SELECT sha256('x'), id, now() FROM users"
        )
    locked = _enqueue(pipeline, workspace, delay_seconds=600.0)
    with run_watching_worker(pipeline):
        wait_until(lambda: fetch_rows(pipeline, "SELECT FROM queue_samples"), "a sample")
        # A session of an operator, which the server does not end.
        with pipeline.db.connect("operator") as operator:
            operator.execute("SET idle_in_transaction_session_timeout = 0")
            with operator.transaction():
                for lock in _HELD_LOCKS:
                    operator.execute(lock.encode(), {"worker": worker, "job": locked})
                server.set_clock(-HOUR)
                now, later = _enqueue(pipeline, workspace), _enqueue(pipeline, workspace, delay_seconds=DELAY)
                jobs.wait_for(now, "a job during the locks")
                jobs.wait_for(later, "a scheduled job during the locks")
                assert len(fetch_rows(pipeline, "SELECT FROM shift_remainders")) == len(_HELD_LOCKS)
        wait_until(lambda: not fetch_rows(pipeline, "SELECT FROM shift_remainders"), "the end of the shift")
    assert _steps(pipeline) == [-HOUR]
    found = [row["ahead"] for row in fetch_rows(pipeline, _LOCKED_TIMES)]
    assert len(found) >= len(_HELD_LOCKS)
    assert max(found) <= 0
    assert min(found) > -600


def test_transactions_that_began_before_a_step_back_are_named(pipeline: Pipeline, server: SteppedServer) -> None:
    with pipeline.db.connect("operator") as operator, operator.transaction():
        operator.execute("SELECT set_config('application_name', 'psql', true)")
        operator.execute("UPDATE pools SET paused = paused")
        with pipeline.db.transaction() as conn:
            assert monitor.find_blockers(conn) == [], "it has just begun"
            assert monitor.describe_vacuum_blockers(conn) == []
        server.set_clock(-HOUR)
        with pipeline.db.transaction() as conn:
            (blocker,) = monitor.find_blockers(conn)
            (holder,) = monitor.describe_vacuum_blockers(conn)
        assert blocker.pid == operator.info.backend_pid
        assert f"the process {blocker.pid} (psql" in holder
        words = monitor.advise_on_blocker(blocker).words
        assert "pools. It is idle in transaction. Documents" in words, "its age is not known"


def _wait_for_step(pipeline: Pipeline, total: float) -> object:
    """Wait until the times have been shifted by `total` seconds; return when that was noticed."""
    query = "SELECT noticed_at FROM clock_steps WHERE abs(total - %s) < 5"
    return wait_until(lambda: fetch_row(pipeline, query, total), "the step")["noticed_at"]


def _is_checked_by_both(pipeline: Pipeline, since: object) -> bool:
    query = "SELECT FROM workers WHERE clock_checked_at BETWEEN %s AND clock_timestamp()"
    return len(fetch_rows(pipeline, query, since)) == 2


def test_a_step_while_no_worker_ran_is_noticed_at_the_start(
    pipeline: Pipeline, workspace: UUID, server: SteppedServer, jobs: Jobs
) -> None:
    server.set_clock(HOUR)
    register_worker_committed(pipeline.db, lease_seconds=2.0)
    old, enqueued_at = _enqueue(pipeline, workspace, delay_seconds=DELAY), monotonic()
    server.set_clock(0)
    new = _enqueue(pipeline, workspace, delay_seconds=600.0)
    with run_in_thread(pipeline):
        assert jobs.wait_for(old, "the scheduled job") - enqueued_at > DELAY - 0.1
    assert _steps(pipeline) == pytest.approx([-HOUR], abs=60), "measured from the last heartbeat"
    assert fetch_rows(pipeline, "SELECT id FROM jobs") == [{"id": new}], "a job added after the step is not shifted"


@pytest.mark.parametrize("step", [-4.0, 4.0])
def test_steps_that_are_too_small_to_be_noticed_are_shifted_when_they_add_up(
    pipeline: Pipeline, workspace: UUID, server: SteppedServer, step: float
) -> None:
    job, enqueued_at = _enqueue(pipeline, workspace, delay_seconds=600.0), monotonic()
    watch, worker = ClockWatch(), register_worker_committed(pipeline.db)
    for count in range(9):
        server.set_clock(count * step)
        wait_until(lambda: watch.follow(pipeline.db, worker), "the shift")
    due = "SELECT extract(epoch FROM run_at - clock_timestamp())::float8 AS seconds FROM jobs WHERE id = %s"
    left = 600 - (monotonic() - enqueued_at)
    assert fetch_row(pipeline, due, job)["seconds"] == pytest.approx(left, abs=6)
    assert sum(_steps(pipeline)) == pytest.approx(8 * step, abs=5)


def test_a_duty_during_which_the_clock_steps_is_undone(pipeline: Pipeline, server: SteppedServer) -> None:

    def act(context: DutyContext) -> str | None:
        server.set_clock(HOUR)
        context.conn.execute(
            "UPDATE workers SET state = 'lost' WHERE heartbeat_at < clock_timestamp() - interval '1 min'"
        )
        return "done"

    worker = register_worker_committed(pipeline.db)
    upkeep = _make_upkeep(pipeline, Duty("act", HOUR, act))
    upkeep.run_due()
    assert load_duty(pipeline.db, "act") == {}
    while not load_duty(pipeline.db, "act"):
        threading.Event().wait(upkeep.run_due())
    assert fetch_row(pipeline, "SELECT state FROM workers WHERE id = %s", worker) == {"state": "alive"}
    assert _steps(pipeline) == [HOUR]


def test_a_duty_during_which_another_worker_handles_a_step_is_undone(pipeline: Pipeline, server: SteppedServer) -> None:
    watch, other = ClockWatch(), register_worker_committed(pipeline.db)
    assert watch.follow(pipeline.db, other)
    runs = []

    def act(context: DutyContext) -> str | None:
        runs.append(1)
        server.set_clock(-HOUR)
        wait_until(lambda: watch.follow(pipeline.db, other), "the shift")
        return None

    upkeep = _make_upkeep(pipeline, Duty("act", HOUR, act))
    upkeep.run_due()
    assert load_duty(pipeline.db, "act") == {}
    while not load_duty(pipeline.db, "act"):
        threading.Event().wait(upkeep.run_due())
    assert len(runs) == 2
    assert _steps(pipeline) == [-HOUR]


def test_a_step_while_the_reaper_runs_loses_no_worker(
    pipeline: Pipeline, server: SteppedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = register_worker_committed(pipeline.db)
    reap = queue.reap

    def step_and_reap(conn: Connection, reaper: UUID) -> list[queue.ReapedJob]:
        server.set_clock(2 * HOUR)
        return reap(conn, reaper)

    monkeypatch.setattr(queue, "reap", step_and_reap)
    upkeep = _make_upkeep(pipeline, duties.reap.DUTY)
    while not load_duty(pipeline.db, "reap"):
        threading.Event().wait(upkeep.run_due())
    assert fetch_row(pipeline, "SELECT state FROM workers WHERE id = %s", worker) == {"state": "alive"}
    assert _steps(pipeline) == [2 * HOUR]


def test_jobs_that_arrived_before_a_step_back_are_served_before_later_ones(
    pipeline: Pipeline, workspace: UUID, server: SteppedServer
) -> None:
    before = [_enqueue(pipeline, workspace) for _ in range(3)]
    upkeep = _make_upkeep(pipeline)
    upkeep.run_due()
    with pipeline.db.transaction() as conn:
        (lease,) = queue.claim(conn, "extract", _register(pipeline), 1)
    server.set_clock(-HOUR)
    while not _steps(pipeline) or fetch_rows(pipeline, "SELECT FROM jobs WHERE arrived_at > clock_timestamp()"):
        threading.Event().wait(upkeep.run_due())
    later = _enqueue(pipeline, workspace)
    follower = _enqueue(pipeline, workspace, arrived_at=lease.arrived_at)
    assert fetch_rows(pipeline, "SELECT FROM jobs WHERE arrived_at > clock_timestamp()") == []
    with pipeline.db.transaction() as conn:
        leases = queue.claim(conn, "extract", _register(pipeline), 4)
    assert lease.job_id == before[0]
    assert [found.job_id for found in leases][:2] == before[1:]
    assert {found.job_id for found in leases[2:]} == {later, follower}


def _make_upkeep(pipeline: Pipeline, *duties: Duty) -> Upkeep:
    return Upkeep(pipeline, uuid4(), WorkerOptions(slots=1, poll_interval=0.1), do_nothing, duties)


def _register(pipeline: Pipeline) -> UUID:
    return register_worker_committed(pipeline.db)
