"""What the doctor says of upkeep."""

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
from docyard.store.blobs import FolderBlobs
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.stopping import Stopping
from tests.cli.conftest import Shell
from tests.queue.crew import fill, hired


@pytest.fixture
def installation(database: Database, blobs: FolderBlobs, limits: Limits) -> Installation:
    """An installation on the test's database."""
    return Installation(Settings(), database, blobs, limits, None, None)


def test_a_held_transaction_is_named(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    assert upkeep_checks.held_back(installation).state == OK
    monkeypatch.setattr(alarms, "HELD_SECONDS", 0.0)
    with installation.db.connect() as holder:
        holder.execute("SET application_name = 'nightly report'")
        with holder.transaction():
            holder.execute("SELECT pg_current_xact_id()")
            found = upkeep_checks.held_back(installation)
            assert found.state == WARN
            assert f"the process {holder.info.backend_pid} (nightly report" in found.words
    assert upkeep_checks.held_back(installation).state == OK


def test_dead_rows_are_counted(
    installation: Installation, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alarms, "DEAD_ROWS", 100)
    with installation.db.connect() as conn:
        conn.execute("ALTER TABLE jobs SET (autovacuum_enabled = false)")
        fill(conn, workspace, Tier.LOW, 120)
        conn.execute("SELECT pg_stat_force_next_flush()")
        found = upkeep_checks.dead_rows(installation)
        assert (found.state, found.words) == (OK, "The table jobs has 120 live and 0 dead rows.")
        conn.execute("DELETE FROM jobs")
        conn.execute("SELECT pg_stat_force_next_flush()")
    found = upkeep_checks.dead_rows(installation)
    assert found.state == WARN
    assert "0 live and 120 dead rows. Autovacuum does not keep up" in found.words


def test_duties_that_fail_or_are_late_are_named(installation: Installation, pipeline: Pipeline) -> None:
    assert upkeep_checks.duties(installation) == Finding("duties", OK, "None was done yet; workers do them.")
    run_worker(pipeline, WorkerOptions(slots=1, single_run=True), Stopping())
    assert upkeep_checks.duties(installation) == Finding("duties", OK, "None fails.")
    _set(installation, "UPDATE duties SET began_at = now() - interval '2 minutes' WHERE duty = 'reap'")
    assert upkeep_checks.duties(installation).state == OK, "without a worker that is another check's matter"
    hired(installation.db)
    assert upkeep_checks.duties(installation) == Finding(
        "duties", WARN, "Not done for long, though a worker is alive: reap."
    )
    _set(installation, "UPDATE duties SET error = 'No room.', failed_at = now() WHERE duty = 'prune'")
    assert upkeep_checks.duties(installation) == Finding("duties", FAIL, "prune fails: No room.")


def _set(installation: Installation, change: str) -> None:
    with installation.db.transaction() as conn:
        conn.execute(change.encode())


def test_the_doctor_says_it(stray_shell: Shell, database: Database) -> None:
    with database.transaction() as conn:
        conn.execute("INSERT INTO duties (duty, error, failed_at) VALUES ('reap', 'It broke.', now())")
    said = stray_shell.run("doctor", code=3)
    assert "duties: reap fails: It broke." in said
    assert "vacuum: Nothing keeps dead rows from being removed." in said
    assert "dead rows: The table jobs has" in said
