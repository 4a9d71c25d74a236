"""Advice: each trouble is said once, in words, with the command that helps; health is silence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from docyard.queue import control, monitor
from docyard.queue.monitor import WorkerStatus
from docyard.queue.monitor.advice import spoken
from docyard.queue.monitor.overview import Overview

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
WORKER = WorkerStatus(uuid4(), "quay", 7, ["extract"], 4, "alive", 0, NOON, 2.0, 1)
POOL = monitor.PoolStatus(
    "extract", "cpu", False, None, None, "closed", None, None, None, pending=3, running=1
)
TIER = monitor.TierStatus(0, "user_upload", 0.6, 60, False, 3, 1, 12.0, 0.6, 1.0)
WELL = Overview(
    sample=monitor.Sample(NOON, 4.0, {}),
    success=monitor.Success(1.0, 3, 3, 4.0, 10.0, 0, 9, 0, 4.0),
    tiers=[TIER],
    pools=[POOL],
    workers=[WORKER],
    work_waits=True,
    finished_last_hour=9,
    errors=[],
    trend=[],
    causes=[],
    stuck=[],
    held=[],
    duties=[control.DutyLine("fold", NOON, 0.1, None, None, None, 3.0)],
)
HELD = monitor.HeldWorkspace("A & B", True, None, None, None, None)


def sampled(**facts: object) -> Overview:
    return replace(WELL, sample=monitor.Sample(NOON, 4.0, facts))


def holder(kind: str, name: str, pid: int | None, seconds: float) -> Overview:
    return sampled(holder={"kind": kind, "name": name, "pid": pid, "seconds": seconds})


def pool(**change: object) -> Overview:
    return replace(WELL, pools=[replace(POOL, **change)])  # type: ignore[arg-type]


def fails(hour: int, before: int) -> Overview:
    return replace(WELL, success=replace(WELL.success, failures_last_hour=hour, failures_hour_before=before))


def duty(**change: object) -> Overview:
    return replace(WELL, duties=[replace(WELL.duties[0], **change)])  # type: ignore[arg-type]


TROUBLES: dict[str, tuple[Callable[[], Overview], str, str, str]] = {
    "nobody": (lambda: replace(WELL, workers=[]), "red", "no worker is alive", "docyard worker"),
    "silent": (
        lambda: replace(WELL, workers=[replace(WORKER, silent_seconds=90.0)]),
        "red",
        "no worker is alive",
        "docyard worker",
    ),
    "draining": (
        lambda: replace(WELL, workers=[replace(WORKER, state="draining")]),
        "red",
        "no worker",
        "docyard worker",
    ),
    "unserved": (
        lambda: replace(WELL, workers=[replace(WORKER, pools=["chunk"])]),
        *(
            "red",
            "3 jobs wait in the pool extract, which no living worker serves",
            "docyard worker --resources cpu",
        ),
    ),
    "open": (
        lambda: pool(breaker="open", breaker_category="ai_quota"),
        "red",
        "open: nothing",
        "docyard queue pools",
    ),
    "probing": (lambda: pool(breaker="half_open"), "red", "one job at a time", "docyard queue pools"),
    "stuck": (
        lambda: replace(WELL, success=replace(WELL.success, stuck=2)),
        "red",
        "2 documents have not",
        "docyard queue stuck",
    ),
    "late": (
        lambda: replace(WELL, tiers=[replace(TIER, oldest_wait=61.0)]),
        "amber",
        "waited 61 seconds",
        "docyard worker --slots 4",
    ),
    "growing": (
        lambda: fails(40, 20),
        "amber",
        "40 in the last hour, 20 in the hour before",
        "docyard dead causes",
    ),
    "failing": (lambda: duty(error="no room"), "amber", "fold fails: no room", "docyard doctor"),
    "neglected": (lambda: duty(age=7300.0), "amber", "fold was last done 2 hours ago", "docyard worker"),
    "holder": (
        lambda: holder("transaction", "report", 77, 360),
        *(
            "amber",
            "process 77 (report) has held them for 6 minutes",
            "psql -c 'SELECT pg_terminate_backend(77)'",
        ),
    ),
    "prepared": (
        lambda: holder("prepared transaction", "x'y", None, 360),
        *("amber", "prepared transaction x'y", "ROLLBACK PREPARED"),
    ),
    "slot": (
        lambda: holder("replication slot", "standby", None, 360),
        *("amber", "replication slot standby", "pg_drop_replication_slot"),
    ),
    "dead rows": (
        lambda: sampled(tables=[{"name": "jobs", "dead": 60_000, "live": 10}]),
        "amber",
        "60,000 dead rows",
        "VACUUM jobs",
    ),
    "old sample": (
        lambda: replace(WELL, sample=monitor.Sample(NOON, 900.0, {})),
        "amber",
        "last counted 15 minutes ago",
        "docyard worker",
    ),
    "no sample": (lambda: replace(WELL, sample=None), "amber", "not been counted yet", "docyard worker"),
    "paused pool": (
        lambda: pool(paused=True),
        "blue",
        "pool extract is paused",
        "docyard resume pool extract",
    ),
    "paused workspace": (
        lambda: replace(WELL, held=[HELD]),
        "blue",
        "workspace A & B is paused",
        "docyard resume workspace 'A & B'",
    ),
    "no retries": (
        lambda: replace(WELL, held=[replace(HELD, paused=False, retries_from=NOON)]),
        *("amber", "used up its retries", "docyard limit workspace 'A & B' --retries"),
    ),
}


def test_health_is_silence() -> None:
    assert monitor.advise(WELL) == []


@pytest.mark.parametrize("name", TROUBLES)
def test_each_trouble_is_said_once_with_what_helps(name: str) -> None:
    make, level, words, command = TROUBLES[name]
    (advice,) = monitor.advise(make())
    assert advice.level == level
    assert words in advice.words
    assert command in advice.command


@pytest.mark.parametrize(
    "calm",
    [
        replace(WELL, workers=[], work_waits=False, pools=[replace(POOL, pending=0)]),
        replace(WELL, tiers=[replace(TIER, oldest_wait=60.0)]),
        fails(39, 20),
        fails(19, 0),
        duty(age=7100.0),
        duty(age=1e9, began_at=None),
        holder("transaction", "report", 77, 290),
        sampled(tables=[{"name": "jobs", "dead": 60_000, "live": 1_000_000}]),
    ],
)
def test_what_is_within_bounds_raises_nothing(calm: Overview) -> None:
    assert monitor.advise(calm) == []


def test_the_most_urgent_comes_first() -> None:
    everything = replace(pool(paused=True), workers=[], duties=duty(error="x").duties)
    assert [advice.level for advice in monitor.advise(everything)] == ["red", "amber", "blue"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 seconds"), (119, "119 seconds"), (120, "2 minutes"), (7200, "2 hours"), (3e5, "3 days")],
)
def test_durations_are_spoken(seconds: float, words: str) -> None:
    assert spoken(seconds) == words
