"""Tests of the advice for operators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from docyard.queue import control, monitor
from docyard.queue.monitor import WorkerStatus
from docyard.queue.monitor.advice import format_duration
from docyard.queue.monitor.overview import Overview

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
WORKER = WorkerStatus(uuid4(), "quay", 7, ["extract"], 4, "alive", 0, NOON, 30.0, 2.0, 1)
POOL = monitor.PoolStatus("extract", "cpu", False, None, None, "closed", None, None, None, pending=3, running=1)
TIER = monitor.TierStatus(0, "user_upload", 0.6, 60, False, 3, 1, 12.0, 0.6, 1.0)
HEALTHY = Overview(
    sample=monitor.Sample(NOON, 4.0, {}),
    success=monitor.SuccessMeasures(1.0, 3, 3, 4.0, 10.0, 0, 9, 0, 4.0),
    tiers=[TIER],
    pools=[POOL],
    workers=[WORKER],
    work_waits=True,
    work_is_left=True,
    finished_last_hour=9,
    errors=[],
    trend=[],
    causes=[],
    stuck=[],
    held=[],
    duties=[control.DutyStatus("fold", NOON, 0.1, None, None, None, 3.0)],
    blockers=[],
    stalled=[],
    silence=4.0,
)
BLOCKER = monitor.Blocker(
    kind="transaction",
    name="",
    pid=77,
    role="ada",
    application="psql",
    address="10.0.0.9",
    state="idle in transaction",
    tables=["documents", "jobs"],
    purposes=[],
    blocked=0,
    began_at="2026-05-04 11:58:00",
    seconds=120.0,
    query_seconds=60.0,
    query="UPDATE source_documents SET title = '…'",
)
HELD = monitor.LimitedWorkspace("A & B", True, None, None, None, None)


def with_facts(**facts: object) -> Overview:
    return replace(HEALTHY, sample=monitor.Sample(NOON, 4.0, facts))


def with_holder(kind: str, name: str, pid: int | None, seconds: float) -> Overview:
    return with_facts(holder={"kind": kind, "name": name, "pid": pid, "seconds": seconds})


def with_pool(**change: object) -> Overview:
    return replace(HEALTHY, pools=[replace(POOL, **change)])  # type: ignore[arg-type]


def with_failures(hour: int, before: int) -> Overview:
    return replace(HEALTHY, success=replace(HEALTHY.success, failures_last_hour=hour, failures_hour_before=before))


def with_duty(**change: object) -> Overview:
    return replace(HEALTHY, duties=[replace(HEALTHY.duties[0], **change)])  # type: ignore[arg-type]


def with_clock_step(age: float) -> Overview:
    return replace(HEALTHY, clock_step=control.NoticedStep(NOON, -3600.2, uuid4(), age))


PROBLEMS: dict[str, tuple[Callable[[], Overview], str, str, str]] = {
    "clock": (
        lambda: with_clock_step(60.0),
        "amber",
        "The database's clock stepped back by 3600 s at 2026-05-04 12:00:00 UTC; stored times were shifted.",
        "docyard doctor",
    ),
    "no worker": (lambda: replace(HEALTHY, workers=[]), "red", "no worker is running", "docyard worker"),
    "silent": (
        lambda: replace(HEALTHY, workers=[replace(WORKER, silent_seconds=31.0)]),
        "red",
        "no worker is running",
        "docyard worker",
    ),
    "draining": (
        lambda: replace(HEALTHY, workers=[replace(WORKER, state="draining")]),
        "red",
        "no worker",
        "docyard worker",
    ),
    "unserved": (
        lambda: replace(HEALTHY, workers=[replace(WORKER, pools=["chunk"])]),
        *(
            "red",
            "3 jobs are pending in the pool extract, which no running worker serves",
            "docyard worker --resources cpu",
        ),
    ),
    "blocker": (
        lambda: replace(HEALTHY, blockers=[BLOCKER]),
        "red",
        (
            "The process 77 (psql, user ada, from 10.0.0.9) holds locks on documents, jobs. Its transaction began 2"
            ' minutes ago; it is idle in transaction. Its last statement, 60 seconds ago, is "UPDATE source_documents'
        ),
        "psql -c 'SELECT pg_terminate_backend(77)'",
    ),
    "waits for a blocker": (
        lambda: replace(HEALTHY, blockers=[replace(BLOCKER, state="active", blocked=3)]),
        *("red", "3 sessions wait for it.", "pg_terminate_backend(77)"),
    ),
    "busy blocker": (
        lambda: replace(HEALTHY, blockers=[replace(BLOCKER, state="active")]),
        *("amber", "it is active.", "pg_terminate_backend(77)"),
    ),
    "hidden blocker": (
        lambda: replace(HEALTHY, blockers=[replace(BLOCKER, state=None, seconds=None, query_seconds=None, tables=[])]),
        *("red", "holds a lock that others need.", "pg_terminate_backend(77)"),
    ),
    "advisory lock": (
        lambda: replace(
            HEALTHY, blockers=[replace(BLOCKER, state="idle", seconds=None, tables=[], purposes=["claims", "tallies"])]
        ),
        "red",
        (
            "The process 77 (psql, user ada, from 10.0.0.9) holds the advisory lock of claims and the advisory lock of"
            " tallies. It is idle. Its last statement, 60 seconds ago, is"
        ),
        "psql -c 'SELECT pg_terminate_backend(77)'",
    ),
    "prepared blocker": (
        lambda: replace(HEALTHY, blockers=[replace(BLOCKER, kind="prepared transaction", name="x'y", pid=None)]),
        *("red", "prepared transaction x'y of the user ada holds locks on documents", "ROLLBACK PREPARED"),
    ),
    "stall": (
        lambda: replace(HEALTHY, stalled=[monitor.StalledPool("extract", 3, 41.0)]),
        "red",
        "3 jobs are pending in the pool extract, but none was started in the last 41 seconds",
        "docyard queue workers",
    ),
    "stall that a blocker explains": (
        lambda: replace(HEALTHY, stalled=[monitor.StalledPool("extract", 3, 41.0)], blockers=[BLOCKER]),
        *("red", "The process 77", "pg_terminate_backend(77)"),
    ),
    "open": (
        lambda: with_pool(breaker="open", breaker_category="ai_quota"),
        "red",
        "is open (ai_quota): its jobs keep failing",
        "docyard queue pools",
    ),
    "store away": (
        lambda: with_pool(breaker="open", breaker_category="storage", breaker_message="The file store is away."),
        "red",
        "until the pool is tested again. The last failure: The file store is away.",
        "docyard doctor",
    ),
    "probing": (lambda: with_pool(breaker="half_open"), "red", "one job at a time", "docyard queue pools"),
    "stuck": (
        lambda: replace(HEALTHY, success=replace(HEALTHY.success, stuck=2)),
        "red",
        "2 documents have made no progress",
        "docyard queue stuck",
    ),
    "late": (
        lambda: replace(HEALTHY, tiers=[replace(TIER, oldest_wait=61.0)]),
        "amber",
        "waited 61 seconds",
        "docyard worker --slots 4",
    ),
    "growing": (
        lambda: with_failures(40, 20),
        "amber",
        "40 in the last hour, 20 in the hour before",
        "docyard dead causes",
    ),
    "failing": (
        lambda: with_duty(error="no room"),
        "amber",
        "fold failed and is retried automatically: no room",
        "docyard doctor",
    ),
    "neglected": (lambda: with_duty(age=7300.0), "amber", "fold last ran 2 hours ago", "docyard worker"),
    "holder": (
        lambda: with_holder("transaction", "report", 77, 360),
        *("amber", "process 77 (report) has prevented it for 6 minutes", "psql -c 'SELECT pg_terminate_backend(77)'"),
    ),
    "prepared": (
        lambda: with_holder("prepared transaction", "x'y", None, 360),
        *("amber", "prepared transaction x'y", "ROLLBACK PREPARED"),
    ),
    "slot": (
        lambda: with_holder("replication slot", "standby", None, 360),
        *("amber", "replication slot standby", "pg_drop_replication_slot"),
    ),
    "dead rows": (
        lambda: with_facts(tables=[{"name": "jobs", "dead": 60_000, "live": 10}]),
        "amber",
        "60,000 dead rows",
        "VACUUM jobs",
    ),
    "old sample": (
        lambda: replace(HEALTHY, sample=monitor.Sample(NOON, 900.0, {})),
        "amber",
        "last counted 15 minutes ago",
        "docyard worker",
    ),
    "no sample": (lambda: replace(HEALTHY, sample=None), "amber", "not been counted yet", "docyard worker"),
    "paused pool": (lambda: with_pool(paused=True), "blue", "pool extract is paused", "docyard resume pool extract"),
    "paused workspace": (
        lambda: replace(HEALTHY, held=[HELD]),
        "blue",
        "workspace A & B is paused",
        "docyard resume workspace 'A & B'",
    ),
    "no retries": (
        lambda: replace(HEALTHY, held=[replace(HELD, paused=False, retries_from=NOON)]),
        *("amber", "used up its retry budget", "docyard limit workspace 'A & B' --retries"),
    ),
}


def test_a_healthy_queue_needs_no_advice() -> None:
    assert monitor.advise(HEALTHY) == []


@pytest.mark.parametrize("name", PROBLEMS)
def test_each_problem_results_in_one_advice_entry_with_a_command(name: str) -> None:
    make, level, words, command = PROBLEMS[name]
    (advice,) = monitor.advise(make())
    assert advice.level == level
    assert words in advice.words
    assert command in advice.command


@pytest.mark.parametrize(
    "healthy",
    [
        replace(HEALTHY, workers=[], work_waits=False, work_is_left=False, pools=[replace(POOL, pending=0)]),
        replace(HEALTHY, tiers=[replace(TIER, oldest_wait=60.0)]),
        with_failures(39, 20),
        with_failures(19, 0),
        with_duty(age=7100.0),
        with_duty(age=1e9, began_at=None),
        with_holder("transaction", "report", 77, 290),
        with_facts(tables=[{"name": "jobs", "dead": 60_000, "live": 1_000_000}]),
    ],
)
def test_values_within_limits_need_no_advice(healthy: Overview) -> None:
    assert monitor.advise(healthy) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"silence": -3600.0, "work_waits": True}, "was not counted, since the database's clock was set back"),
        (
            {"duties": [control.DutyStatus("fold", NOON, 0.1, None, None, None, -3600.0)]},
            "last ran before the database's",
        ),
        (
            {"sample": with_holder("transaction", "psql", 7, -3600.0).sample},
            "has prevented it since before the database's",
        ),
        ({"sample": monitor.Sample(NOON, -3600.0, {})}, "last counted before the database's clock was set back"),
        (
            {"work_is_left": True, "workers": [replace(HEALTHY.workers[0], silent_seconds=-3600.0)]},
            "no worker is running",
        ),
    ],
)
def test_a_time_in_the_future_is_old(change: dict[str, Any], words: str) -> None:
    found = monitor.advise(replace(HEALTHY, **change))
    assert [advice for advice in found if words in advice.words]


def test_advice_is_sorted_by_urgency() -> None:
    everything = replace(with_pool(paused=True), workers=[], duties=with_duty(error="x").duties)
    assert [advice.level for advice in monitor.advise(everything)] == ["red", "amber", "blue"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 seconds"), (119, "119 seconds"), (120, "2 minutes"), (7200, "2 hours"), (3e5, "3 days")],
)
def test_durations_are_rounded_to_one_unit(seconds: float, words: str) -> None:
    assert format_duration(seconds) == words
