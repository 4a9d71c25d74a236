"""A command about many things asks the database as often as one about a few, and only about those."""

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
from tests.making.statements import Statement, noted
from tests.pipeline.travelling import arrive, fail, take_document, travel_to
from tests.queue.crew import hired

FEW, MANY = 2, 7
Typed = Callable[..., Any]


@pytest.fixture
def typed(tmp_path: Path, database_address: str, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Runs a command in this process and gives what it printed."""
    monkeypatch.setenv("DOCYARD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DOCYARD_DATABASE_URL", database_address)
    monkeypatch.setattr("docyard.log.configure", lambda *_, **__: None)  # this process has its own

    def run(*command: str, code: int = 0) -> Any:
        done = CliRunner().invoke(docyard, [*command, "--json"])
        assert done.exit_code == code, done.output
        return json.loads(done.stdout)

    return run


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Statement]:
    """Every statement that is sent."""
    return noted(monkeypatch)


def waiting(database: Database, workspace: UUID, count: int) -> list[UUID]:
    return [arrive(database, workspace, f"{count} {number}.txt") for number in range(count)]


@pytest.mark.parametrize("what", ["document", "job"])
def test_cancelling(
    typed: Typed, sent: list[Statement], database: Database, conn: Connection, workspace: UUID, what: str
) -> None:
    counts = []
    for count in (FEW, MANY):
        documents = waiting(database, workspace, count)
        jobs = [row["id"] for row in conn.execute("SELECT id FROM jobs")]
        ids = [str(one) for one in (documents if what == "document" else jobs)]
        stranger = str(uuid4())
        sent.clear()
        said = typed("cancel", what, *ids, stranger, code=1)
        counts.append(len(sent))
        assert (said["cancelled"], list(said["left"])) == (ids, [stranger])
    assert counts[0] == counts[1] > 0


def dead(database: Database, workspace: UUID, worker: UUID, count: int) -> list[str]:
    """So many dead letters."""
    for _ in waiting(database, workspace, count):
        lease = take_document(database, worker)
        travel_to(database, lease, "extract")
        assert fail(database, lease, Reject("corrupt", "Broken."))
    with database.transaction() as conn:
        return [str(row["id"]) for row in conn.execute("SELECT id FROM dead_letters ORDER BY id")]


@pytest.mark.parametrize(("command", "key"), [("replay", "replayed"), ("discard", "discarded")])
def test_acting_on_one_dead_letter_reads_that_one_alone(
    typed: Typed,
    sent: list[Statement],
    database: Database,
    conn: Connection,
    workspace: UUID,
    command: str,
    key: str,
) -> None:
    worker, read = hired(database), []
    for count in (FEW, MANY):
        letters = dead(database, workspace, worker, count)
        assert len(letters) == count
        sent.clear()
        assert typed("dead", command, letters[0]) == {key: [letters[0]]}
        read.append([each.rows for each in sent])
        conn.execute("DELETE FROM jobs")
        conn.execute("DELETE FROM dead_letters")
    assert read[0] == read[1]
    assert len(read[0]) > 2
