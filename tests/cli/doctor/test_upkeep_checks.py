"""Tests of the upkeep checks of `docyard doctor`."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.cli.doctor import upkeep_checks
from docyard.cli.doctor.findings import FAIL, OK, WARN, Finding
from docyard.cli.installation import Installation
from docyard.db import Database
from docyard.model.limits import Limits
from docyard.model.tiers import Tier
from docyard.pipeline.run import Pipeline
from docyard.queue.monitor import alarms
from docyard.settings import Settings
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.stop_request import StopRequest
from tests.cli.conftest import Shell
from tests.queue.queue_workers import insert_jobs, register_worker_committed


@pytest.fixture
def installation(database: Database, limits: Limits) -> Installation:
    """An installation on the test's database."""
    return Installation(Settings(), database, limits, None, None)


def test_reports_a_transaction_that_blocks_vacuum(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    assert upkeep_checks.check_vacuum(installation).state == OK
    monkeypatch.setattr(alarms, "MAX_TRANSACTION_SECONDS", 0.0)
    with installation.db.connect() as holder:
        holder.execute("SET application_name = 'nightly report'")
        with holder.transaction():
            holder.execute("SELECT pg_current_xact_id()")
            found = upkeep_checks.check_vacuum(installation)
            assert found.state == WARN
            assert f"the process {holder.info.backend_pid} (nightly report" in found.words
    assert upkeep_checks.check_vacuum(installation).state == OK


def test_reports_dead_rows(installation: Installation, workspace: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alarms, "MAX_DEAD_ROWS", 100)
    with installation.db.connect() as conn:
        conn.execute("ALTER TABLE jobs SET (autovacuum_enabled = false)")
        insert_jobs(conn, workspace, Tier.LOW, 120)
        conn.execute("SELECT pg_stat_force_next_flush()")
        found = upkeep_checks.check_dead_rows(installation)
        assert (found.state, found.words) == (OK, "The table jobs has 120 live and 0 dead rows.")
        conn.execute("DELETE FROM jobs")
        conn.execute("SELECT pg_stat_force_next_flush()")
    found = upkeep_checks.check_dead_rows(installation)
    assert found.state == WARN
    assert "0 live and 120 dead rows. Autovacuum does not keep up" in found.words


def test_reports_a_step_of_the_clock_for_a_day(installation: Installation) -> None:
    assert upkeep_checks.check_clock(installation).state == OK
    with installation.db.connect() as conn:
        conn.execute("INSERT INTO clock_steps (seconds, total, worker_id) VALUES (-3600, -3600, gen_random_uuid())")
        found = upkeep_checks.check_clock(installation)
        assert found.state == WARN
        assert "The database's clock stepped back by 3600 s at 2" in found.words
        conn.execute("UPDATE clock_steps SET noticed_at = noticed_at - interval '25 hours'")
    assert upkeep_checks.check_clock(installation).state == OK


def test_reports_failing_and_overdue_duties(installation: Installation, pipeline: Pipeline) -> None:
    no_run = "No upkeep duty has run yet. Workers run them."
    assert upkeep_checks.check_duties(installation) == Finding("duties", OK, no_run)
    run_worker(pipeline, WorkerOptions(slots=1, single_run=True), StopRequest())
    assert upkeep_checks.check_duties(installation) == Finding("duties", OK, "No upkeep duty fails.")
    _execute(installation, "UPDATE duties SET began_at = now() - interval '2 minutes' WHERE duty = 'reap'")
    assert upkeep_checks.check_duties(installation).state == OK, "without a worker, the check of workers reports it"
    register_worker_committed(installation.db)
    found = upkeep_checks.check_duties(installation)
    assert found.state == WARN
    assert found.words.startswith("Upkeep duties are overdue although a worker is running: reap. ")
    _execute(installation, "UPDATE duties SET began_at = now() + interval '1 hour' WHERE duty = 'reap'")
    assert upkeep_checks.check_duties(installation) == found, "it ran before the clock was set back"
    _execute(installation, "UPDATE duties SET error = 'No room.', failed_at = now() WHERE duty = 'prune'")
    found = upkeep_checks.check_duties(installation)
    assert found.state == FAIL
    assert found.words.startswith("Upkeep duties fail: prune (No room.). ")


def _execute(installation: Installation, statement: str) -> None:
    with installation.db.transaction() as conn:
        conn.execute(statement.encode())


def test_doctor_prints_the_upkeep_checks(external_shell: Shell, database: Database) -> None:
    with database.transaction() as conn:
        conn.execute("INSERT INTO duties (duty, error, failed_at) VALUES ('reap', 'It broke.', now())")
    output = external_shell.run("doctor", code=3)
    assert "duties: Upkeep duties fail: reap (It broke.)." in output
    assert "vacuum: Nothing prevents vacuum from removing dead rows." in output
    assert "dead rows: The table jobs has" in output
