"""`docyard retry`: what is tried again, and how finished documents get what new ones get."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from docyard.db import Connection, Database
from tests.cli.conftest import Shell

STAGES = "SELECT stage, fence FROM stage_results WHERE document_id = %s ORDER BY finished_at"


@pytest.fixture
def finished(stray_shell: Shell, tmp_path: Path) -> str:
    """A document that has gone its whole road."""
    (tmp_path / "note.txt").write_text("Ada Petersen signed the lease on 3 March 2024.")
    (added,) = stray_shell.json("add", str(tmp_path / "note.txt"))
    stray_shell.run("worker", "--single-run")
    document: str = added["document"]
    return document


def ran(conn: Connection, document: str) -> dict[str, int]:
    return {row["stage"]: row["fence"] for row in conn.execute(STAGES, (document,))}


def test_only_what_a_finished_document_lacks_is_done_and_after_everything_else(
    stray_shell: Shell, finished: str, database: Database
) -> None:
    with database.transaction() as conn:
        before = ran(conn, finished)
        # As after an upgrade: a stage that was not there, and one of an older version.
        conn.execute("DELETE FROM stage_results WHERE stage IN ('canonicalise', 'relate')")
        conn.execute("UPDATE stage_results SET version = version - 1 WHERE stage = 'entities'")
    assert stray_shell.json("retry", "--outdated") == {"queued": [finished]}
    with database.transaction() as conn:
        assert conn.execute("SELECT tier FROM jobs WHERE pool <> 'embed'").fetchall() == [{"tier": 2}]
    assert stray_shell.json("retry", "--outdated") == {"queued": []}, "it waits already"
    stray_shell.run("worker", "--single-run")
    with database.transaction() as conn:
        after = ran(conn, finished)
        told = conn.execute("SELECT status, tier FROM documents").fetchone()
    assert after.keys() == before.keys()
    untouched = {"fetch", "extract", "classify", "chunk", "fields"}
    assert {stage: after[stage] for stage in untouched} == {stage: before[stage] for stage in untouched}
    assert told == {"status": "completed", "tier": 1}, "who retries it later does not wait behind all"
    assert stray_shell.json("retry", "--outdated") == {"queued": []}


def test_a_cancelled_document_goes_on_and_the_rest_is_named(
    stray_shell: Shell, finished: str, tmp_path: Path
) -> None:
    (tmp_path / "other.txt").write_text("Nobody waits for this one.")
    (added,) = stray_shell.json("add", str(tmp_path / "other.txt"))
    stray_shell.run("cancel", "document", added["document"])
    stranger = str(uuid4())
    said = stray_shell.json("retry", added["document"], finished, stranger, code=1)
    assert said["queued"] == [added["document"]]
    assert said["left"] == {
        finished: "There is nothing to try again.",
        stranger: "There is no such document.",
    }


def test_a_retry_of_nothing_or_of_all_and_some_is_wrong_usage(stray_shell: Shell, finished: str) -> None:
    assert "Name documents, or say --outdated." in stray_shell.run("retry", code=2)
    assert "Name documents, or say --outdated." in stray_shell.run("retry", finished, "--outdated", code=2)
    assert "no workspace 'Elsewhere'" in stray_shell.run(
        "retry", "--outdated", "--workspace", "Elsewhere", code=2
    )
