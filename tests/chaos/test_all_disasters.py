"""A run with every disaster, whose recorded events are checked afterwards."""

from __future__ import annotations

import os
import random
import signal
from uuid import UUID

import pytest

from docyard import queue
from docyard.queue import control
from docyard.store.users import get_or_create_workspace
from tests.chaos.chaos_workers import DISTANT, MORTAL, ROLES, SLEEPER, WorkerGroup
from tests.chaos.installation import ChaosInstallation, get_address
from tests.chaos.instruments.checker import Findings, check
from tests.chaos.instruments.events import install_recorder, read_effects, read_events, read_locked
from tests.chaos.instruments.proxy import Proxy
from tests.chaos.job_mix import (
    DYING,
    HARMFUL,
    LIMITED,
    MENDED_LATER,
    NEVER_MENDED,
    STALLING,
    ArrivalPlan,
    Size,
    mixed_jobs,
    slow_jobs,
)

pytestmark = pytest.mark.chaos

SHORT = Size(jobs=2_000, nap=0.15, storm_nap=0.15, slots=4, storms=1, backlog=500, limited_rate=10, patience=90)
LONG = Size(jobs=100_000, nap=0.0, storm_nap=0.5, slots=16, storms=5, backlog=3_000, limited_rate=50, patience=600)
COMEBACKS = {"retry", "snooze", "rate limit", "stall", "give back", "replay"}


@pytest.mark.timeout(400)
def test_two_thousand_jobs_survive_simultaneous_disasters(own_scene: ChaosInstallation) -> None:
    _run(own_scene, SHORT)


@pytest.mark.long
def test_a_hundred_thousand_jobs_survive_simultaneous_disasters(own_scene: ChaosInstallation) -> None:
    _run(own_scene, LONG)


def _run(scene: ChaosInstallation, size: Size) -> None:
    jobs = mixed_jobs(size, _prepare(scene, size))
    with Proxy(lambda: get_address(scene.home).port) as proxy:
        crew = WorkerGroup(scene, size, proxy, jobs)
        crew.enqueue_next(size.backlog)
        for role in ROLES:
            crew.start(role)
        for number in range(size.storms):
            left = len(jobs) * (size.storms - number) // size.storms
            crew.wait_until(lambda: len(crew.remaining_jobs) <= left, "the next storm")  # noqa: B023 (called within this iteration)
            crew.in_storm = True
            _storm(crew)
            crew.in_storm = False
        crew.wait_until(lambda: not crew.remaining_jobs and _count_live(scene) == 0, "every job to end")
        _replay_mended(crew)
        crew.wait_until(lambda: _count_live(scene) == 0, "the replayed jobs to end")
    _check_history(scene, crew)
    _check_dead_letters(scene)
    _check_times(scene)


def _prepare(scene: ChaosInstallation, size: Size) -> ArrivalPlan:
    with scene.db.transaction() as conn:
        # Created now, because rows of the history would be moved if partitions were created later.
        queue.ensure_partitions(conn)
        install_recorder(conn)
        control.limit_pool(conn, LIMITED, max_running=None, rate=size.limited_rate, burst=5)
        conn.execute("UPDATE pools SET deadline_seconds = 4 WHERE pool = %s", (STALLING,))
        workspaces = [get_or_create_workspace(conn, f"Workspace {number}") for number in range(4)]
    return ArrivalPlan(workspaces, scene.fetch_row("SELECT now() AS now")["now"], random.Random(20))


def _storm(crew: WorkerGroup) -> None:
    """Cause each disaster in turn, most of them before the effects of the previous one are over."""
    _kill(crew)
    sleeper, distant = crew.wait_until_busy(SLEEPER), crew.wait_until_busy(DISTANT)
    crew.send_signals(SLEEPER, signal.SIGSTOP)
    crew.proxy.fall_silent()
    crew.wait_until(lambda: _is_lost(crew.scene, sleeper), "the suspended worker to lose its jobs")
    crew.wait_until(lambda: _is_lost(crew.scene, distant), "the disconnected worker to lose its jobs")
    crew.send_signals(SLEEPER, signal.SIGCONT)
    crew.wait_until_alive(SLEEPER, sleeper)
    crew.wait_until(lambda: crew.scene.fetch_row("SELECT count(*) AS n FROM chaos_late")["n"], "a late result")
    _restart_database(crew)
    crew.proxy.drop()
    crew.wait_until_alive(DISTANT, distant)
    _drain(crew)
    _replay_mended(crew)


def _kill(crew: WorkerGroup) -> None:
    crew.wait_until_busy(MORTAL)
    crew.send_signals(MORTAL, signal.SIGKILL)
    crew.workers[MORTAL].wait(10)
    crew.start(MORTAL)


def _drain(crew: WorkerGroup) -> None:
    """Send two signals, so that a worker releases its leases; two equal signals could be merged into one."""
    crew.wait_until(lambda: not _count_live(crew.scene, HARMFUL), "the harmful jobs to end")
    crew.enqueue(slow_jobs(crew.scene.workspace))
    crew.wait_until_busy(MORTAL, HARMFUL)
    crew.send_signals(MORTAL, signal.SIGTERM, signal.SIGINT)
    crew.workers[MORTAL].wait(30)
    crew.start(MORTAL)


def _restart_database(crew: WorkerGroup) -> None:
    home = crew.scene.home
    before = get_address(home).pid
    os.kill(before, signal.SIGQUIT)  # PostgreSQL's immediate shutdown
    crew.wait_until(
        lambda: get_address(home).pid != before and crew.scene.fetch_row("SELECT 1 AS up"), "the database to be back"
    )


def _replay_mended(crew: WorkerGroup) -> None:
    """Remove the cause of a group of dead letters, and replay them."""
    with crew.scene.db.transaction() as conn:
        conn.execute("INSERT INTO chaos_mended VALUES (%s)", (MENDED_LATER,))
    with crew.scene.db.transaction() as conn:
        causes = [cause for cause in queue.find_causes(conn) if cause.category == MENDED_LATER]
        for cause in causes:
            letters = queue.find_dead_letters(conn, cause=cause.fingerprint, limit=cause.letters)
            assert len(queue.replay(conn, [letter.id for letter in letters])) == cause.letters


def _is_lost(scene: ChaosInstallation, worker: UUID) -> bool:
    """Return whether a worker was declared lost and all its jobs were taken over."""
    state = scene.fetch_row("SELECT state FROM workers WHERE id = %(id)s", id=worker)["state"]
    leased = scene.fetch_row("SELECT count(*) AS n FROM jobs WHERE worker_id = %(id)s", id=worker)["n"]
    return bool(state == "lost" and leased == 0)


def _count_live(scene: ChaosInstallation, pool: str | None = None) -> int:
    query = "SELECT count(*) AS n FROM jobs WHERE %(pool)s::text IS NULL OR pool = %(pool)s"
    return int(scene.fetch_row(query, pool=pool)["n"])


def _check_dead_letters(scene: ChaosInstallation) -> None:
    """Check that exactly the jobs that are expected to die are dead letters."""
    with scene.db.transaction() as conn:
        dead = conn.execute("SELECT type, payload ->> 'kind' AS kind FROM dead_letters").fetchall()
        expected = conn.execute(
            "SELECT count(DISTINCT job) AS n FROM chaos_events WHERE type = ANY (%s)", (list(DYING),)
        ).fetchone()
    assert {row["type"] for row in dead} == {*DYING, "toxic"}
    assert {row["kind"] for row in dead if row["type"] == "toxic"} == {NEVER_MENDED}
    assert expected is not None
    assert sum(1 for row in dead if row["type"] in DYING) == expected["n"]


def _check_times(scene: ChaosInstallation) -> None:
    """Check that no stored time comes from the worker whose clock was an hour off."""
    off = scene.fetch_row(
        "SELECT count(*) FILTER (WHERE own_clock - at > interval '50 minutes') AS wrong FROM chaos_effects"
    )
    stored = scene.fetch_row(
        "SELECT (SELECT count(*) FROM workers WHERE greatest(heartbeat_at, started_at) > now()"
        "        OR least(heartbeat_at, started_at) < now() - interval '40 minutes')"
        " + (SELECT count(*) FROM job_history h, jsonb_array_elements(h.failure_history) f"
        "    WHERE (f ->> 'at')::timestamptz NOT BETWEEN h.arrived_at AND h.finished_at) AS wrong"
    )
    assert off["wrong"] > 0
    assert stored["wrong"] == 0


def _check_history(scene: ChaosInstallation, crew: WorkerGroup) -> None:
    with scene.db.transaction() as conn:
        effects, locked = read_effects(conn), read_locked(conn)
        late = conn.execute("SELECT accepted FROM chaos_late").fetchall()
    findings = check(read_events(scene.db), effects, locked=locked, ample=2 * crew.size.slots)
    assert findings.summarize() == {}
    assert set(findings.stories) == set(crew.enqueued)
    assert len(crew.enqueued) == crew.size.jobs
    assert not any(row["accepted"] for row in late)
    _check_coverage(findings, crew)


def _check_coverage(findings: Findings, crew: WorkerGroup) -> None:
    """Check that the run covered enough cases.

    For each reason, a returned job was claimed again while other jobs of its lane were pending. In one window,
    more than a quarter as many claims were made as there are jobs.
    """
    assert set(findings.kept_places) == COMEBACKS
    # A quarter suffices, because a tier may run out of jobs while the server restarts, which ends a window.
    assert max(window.claims for window in findings.windows) > crew.size.jobs / 4
