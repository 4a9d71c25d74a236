"""Tests of commands that are suspended while they start: other commands start nevertheless."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from tests.chaos.installation import ChaosInstallation, wait_for

pytestmark = pytest.mark.chaos
LOCK = sys.modules["docyard.db.migrate"]._LOCK
HOLDER = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = %(lock)s AND granted"


@contextmanager
def _suspended_migration(scene: ChaosInstallation) -> Iterator[None]:
    """Suspend a real `docyard migrate` while it holds the migration lock of an outdated schema."""
    with psycopg.connect(scene.environ["DOCYARD_DATABASE_URL"]) as conn:
        conn.execute("ALTER TABLE workers DROP COLUMN progress_at")
        conn.execute("DELETE FROM schema_migrations WHERE version = 9")
        conn.commit()
        conn.execute("LOCK TABLE workers IN ACCESS SHARE MODE")  # the migration waits for it
        process = scene.start("migrate")
        wait_for(lambda: scene.fetch_row(HOLDER, lock=LOCK), "the migration to start")
        process.send_signal(signal.SIGSTOP)
        conn.rollback()
        yield


@pytest.mark.parametrize("command", [("migrate",), ("worker", "--single-run"), ("doctor",)])
def test_a_current_schema_is_opened_without_the_migration_lock(
    scene: ChaosInstallation, command: tuple[str, ...]
) -> None:
    with psycopg.connect(scene.environ["DOCYARD_DATABASE_URL"]) as conn:
        conn.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        conn.execute("SELECT FROM pools FOR UPDATE")  # an operator's open transaction does not matter either
        assert scene.start(*command).wait(60) in (0, 1)


@pytest.mark.long
def test_an_outdated_schema_is_migrated_although_another_migration_is_suspended(scene: ChaosInstallation) -> None:
    with _suspended_migration(scene):
        assert scene.start("worker", "--single-run").wait(60) == 3, "a worker does not wait for the migration"
        assert scene.start("migrate").wait(60) == 0
    assert scene.fetch_row("SELECT count(*) AS n FROM schema_migrations WHERE version = 9") == {"n": 1}
