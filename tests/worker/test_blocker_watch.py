"""Tests of the alarm about blockers: a worker raises it even if all tables are locked."""

from __future__ import annotations

from contextlib import closing

import psycopg
import pytest

from docyard import log
from docyard.db import Database
from docyard.pipeline.run import Pipeline
from docyard.queue.monitor import blockers
from docyard.worker import blocker_watch
from docyard.worker.blocker_watch import BlockerWatch
from tests.worker.worker_runs import run_in_thread, wait_until


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The names and words of the alarms that are logged."""
    logged: list[tuple[str, str]] = []

    def note(name: str, **facts: object) -> None:
        logged.append((name, str(facts.get("said") or facts.get("was") or facts)))

    monkeypatch.setattr(log, "warn", note)
    monkeypatch.setattr(log, "event", note)
    monkeypatch.setattr(blockers, "MIN_SECONDS", 0.0)
    return logged


def select_alarms(logged: list[tuple[str, str]], name: str = "queue_alarm") -> list[str]:
    return [said for event, said in logged if event == name]


@pytest.mark.parametrize(
    "statement",
    [
        "LOCK TABLE jobs",
        "LOCK TABLE workers",
        "LOCK TABLE documents",
        "LOCK TABLE duties",
        "SELECT FROM duties FOR UPDATE",
    ],
)
def test_a_worker_names_who_blocks_everything(
    pipeline: Pipeline,
    database_address: str,
    logged: list[tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    statement: str,
) -> None:
    monkeypatch.setattr(blocker_watch, "PERIOD", 0.1)
    with psycopg.connect(database_address, application_name="psql") as forgotten:
        forgotten.execute("INSERT INTO duties (duty, began_at) VALUES ('alarms', '-infinity')")
        forgotten.commit()
        forgotten.execute(statement.encode())
        pid = forgotten.info.backend_pid
        with run_in_thread(pipeline):
            wait_until(lambda: select_alarms(logged), "the alarm")
            forgotten.rollback()
            wait_until(lambda: select_alarms(logged, "queue_alarm_over"), "the end of the alarm")
    (said,) = select_alarms(logged)
    assert f"the process {pid} (psql, user postgres, from 127.0.0.1) holds locks on " in said
    assert f"({statement}). End it with: psql -c 'SELECT pg_terminate_backend({pid})'" in said


def test_logs_a_blocker_once_until_it_has_lasted_for_long(
    database: Database, database_address: str, logged: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(BlockerWatch(database)) as watch:
        watch.look()
        assert logged == []
        with psycopg.connect(database_address, application_name="psql") as forgotten:
            forgotten.execute("UPDATE tiers SET paused = false")
            watch.look()
            forgotten.execute("SELECT FROM jobs FOR UPDATE")
            watch.look()
            assert len(logged) == 1
            monkeypatch.setattr(blocker_watch, "_REPEAT_AFTER", 0.0)
            watch.look()
        watch.look()
        watch.look()
    first, second = select_alarms(logged)
    assert "locks on tiers since" in first
    assert "locks on jobs, tiers since" in second
    assert logged[2:] == [("queue_alarm_over", second)]


def test_logs_one_line_if_the_database_is_away(logged: list[tuple[str, str]]) -> None:
    away = Database(lambda: "host=127.0.0.1 port=1")
    with closing(away), closing(BlockerWatch(away)) as watch:
        watch.look()
    assert [name for name, _ in logged] == ["blockers_not_sought"]


def test_an_alarm_outlasts_a_lost_connection(
    database: Database, database_address: str, logged: list[tuple[str, str]]
) -> None:
    with (
        closing(BlockerWatch(database)) as watch,
        psycopg.connect(database_address, application_name="psql") as forgotten,
    ):
        forgotten.execute("UPDATE tiers SET paused = false")
        watch.look()
        forgotten.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'docyard blockers'"
            " AND datname = current_database()"
        )
        watch.look()
    assert [name for name, _ in logged] == ["queue_alarm"]


def test_a_blocker_is_named_within_half_a_minute() -> None:
    assert blockers.MIN_SECONDS + blocker_watch.PERIOD < 25
