"""Tests that the number of statements does not depend on the number of ids or dead letters."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from click.testing import CliRunner

from docyard.cli.main import docyard
from docyard.db import Connection, Database
from docyard.errors import Reject
from tests.builders.statements import Statement, record_statements
from tests.pipeline.stage_runs import arrive, claim_document_job, fail, run_until
from tests.queue.queue_workers import register_worker_committed

FEW, MANY = 2, 7
RunCommand = Callable[..., Any]


@pytest.fixture
def run_command(tmp_path: Path, database_address: str, monkeypatch: pytest.MonkeyPatch) -> RunCommand:
    """A function that runs a command in this process and returns its parsed output."""
    monkeypatch.setenv("DOCYARD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DOCYARD_DATABASE_URL", database_address)
    # The commands must not change the log configuration of the test process.
    monkeypatch.setattr("docyard.log.configure", lambda *_, **__: None)

    def run(*command: str, code: int = 0) -> Any:
        done = CliRunner().invoke(docyard, [*command, "--json"])
        assert done.exit_code == code, done.output
        return json.loads(done.stdout)

    return run


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Statement]:
    """All statements sent to the database."""
    return record_statements(monkeypatch)


def queue_documents(database: Database, workspace: UUID, count: int) -> list[UUID]:
    return [arrive(database, workspace, f"{count} {number}.txt") for number in range(count)]


@pytest.mark.parametrize("kind", ["document", "job"])
def test_cancel_statement_count_does_not_depend_on_the_number_of_ids(
    run_command: RunCommand, sent: list[Statement], database: Database, conn: Connection, workspace: UUID, kind: str
) -> None:
    counts = []
    for count in (FEW, MANY):
        documents = queue_documents(database, workspace, count)
        jobs = [row["id"] for row in conn.execute("SELECT id FROM jobs")]
        ids = [str(one) for one in (documents if kind == "document" else jobs)]
        unknown = str(uuid4())
        sent.clear()
        result = run_command("cancel", kind, *ids, unknown, code=1)
        counts.append(len(sent))
        assert (result["cancelled"], list(result["left"])) == (ids, [unknown])
    assert counts[0] == counts[1] > 0


def make_dead_letters(database: Database, workspace: UUID, worker: UUID, count: int) -> list[str]:
    """Create `count` dead letters and return the ids of all dead letters."""
    for _ in queue_documents(database, workspace, count):
        lease = claim_document_job(database, worker)
        run_until(database, lease, "extract")
        assert fail(database, lease, Reject("corrupt", "Broken."))
    with database.transaction() as conn:
        return [str(row["id"]) for row in conn.execute("SELECT id FROM dead_letters ORDER BY id")]


@pytest.mark.parametrize(("command", "key"), [("replay", "replayed"), ("discard", "discarded")])
def test_acting_on_one_dead_letter_does_not_read_the_others(
    run_command: RunCommand,
    sent: list[Statement],
    database: Database,
    conn: Connection,
    workspace: UUID,
    command: str,
    key: str,
) -> None:
    worker, read = register_worker_committed(database), []
    for count in (FEW, MANY):
        letters = make_dead_letters(database, workspace, worker, count)
        assert len(letters) == count
        sent.clear()
        assert run_command("dead", command, letters[0]) == {key: [letters[0]]}
        read.append([each.rows for each in sent])
        conn.execute("DELETE FROM jobs")
        conn.execute("DELETE FROM dead_letters")
    assert read[0] == read[1]
    assert len(read[0]) > 2
