"""Tests of `docyard retry`."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from docyard.db import Connection, Database
from tests.cli.conftest import Shell

STAGES = "SELECT stage, fence FROM stage_results WHERE document_id = %s ORDER BY finished_at"


@pytest.fixture
def document_id(external_shell: Shell, tmp_path: Path) -> str:
    """The id of a completed document."""
    (tmp_path / "note.txt").write_text("Ada Petersen signed the lease on 3 March 2024.")
    (added,) = external_shell.json("add", str(tmp_path / "note.txt"))
    external_shell.run("worker", "--single-run")
    document: str = added["document"]
    return document


def read_fences(conn: Connection, document: str) -> dict[str, int]:
    return {row["stage"]: row["fence"] for row in conn.execute(STAGES, (document,))}


def test_outdated_runs_only_missing_and_changed_stages_in_the_low_tier(
    external_shell: Shell, document_id: str, database: Database
) -> None:
    with database.transaction() as conn:
        before = read_fences(conn, document_id)
        # This is the state after an upgrade that added two stages and changed one.
        conn.execute("DELETE FROM stage_results WHERE stage IN ('canonicalise', 'relate')")
        conn.execute("UPDATE stage_results SET version = version - 1 WHERE stage = 'entities'")
    assert external_shell.json("retry", "--outdated") == {"queued": [document_id]}
    with database.transaction() as conn:
        assert conn.execute("SELECT tier FROM jobs WHERE pool <> 'embed'").fetchall() == [{"tier": 2}]
    assert external_shell.json("retry", "--outdated") == {"queued": []}, "already queued"
    external_shell.run("worker", "--single-run")
    with database.transaction() as conn:
        after = read_fences(conn, document_id)
        row = conn.execute("SELECT status, tier FROM documents").fetchone()
    assert after.keys() == before.keys()
    untouched = {"fetch", "extract", "classify", "chunk", "fields"}
    assert {stage: after[stage] for stage in untouched} == {stage: before[stage] for stage in untouched}
    assert row == {"status": "completed", "tier": 1}, "the tier of the document itself does not change"
    assert external_shell.json("retry", "--outdated") == {"queued": []}


def test_retries_cancelled_documents_and_reports_refused_ids(
    external_shell: Shell, document_id: str, tmp_path: Path
) -> None:
    (tmp_path / "other.txt").write_text("Nobody waits for this one.")
    (added,) = external_shell.json("add", str(tmp_path / "other.txt"))
    external_shell.run("cancel", "document", added["document"])
    unknown = str(uuid4())
    result = external_shell.json("retry", added["document"], document_id, unknown, code=1)
    assert result["queued"] == [added["document"]]
    assert result["left"] == {document_id: "There is nothing to retry.", unknown: "There is no such document."}


def test_again_runs_every_stage_of_a_completed_document(
    external_shell: Shell, document_id: str, database: Database
) -> None:
    unknown = str(uuid4())
    result = external_shell.json("retry", "--again", document_id, unknown, code=1)
    assert result == {"queued": [document_id], "left": {unknown: "There is no such document."}}
    external_shell.run("worker", "--single-run")
    with database.transaction() as conn:
        jobs = conn.execute("SELECT stage, job_id FROM stage_results ORDER BY finished_at").fetchall()
        assert conn.execute("SELECT status FROM documents").fetchall() == [{"status": "completed"}]
    assert len({row["job_id"] for row in jobs if row["stage"] != "fetch"}) == 1
    assert jobs[0]["stage"] == "fetch"
    assert jobs[0]["job_id"] != jobs[1]["job_id"], "the file is not fetched again"


def test_again_refuses_documents_whose_file_is_missing(
    external_shell: Shell, document_id: str, database: Database, tmp_path: Path
) -> None:
    with database.transaction() as conn:
        before = read_fences(conn, document_id)
        (stored,) = conn.execute("SELECT sha256 FROM documents").fetchall()
    (file,) = (tmp_path / "home" / "blobs").rglob(stored["sha256"])
    file.unlink()
    result = external_shell.json("retry", "--again", document_id, code=1)
    assert result["queued"] == []
    assert result["left"][document_id].startswith("The stored file of note.txt is missing")
    (tmp_path / "home" / "blobs").rename(tmp_path / "home" / "away")
    result = external_shell.json("retry", "--again", document_id, code=1)
    assert result["queued"] == []
    assert result["left"][document_id].startswith("The file store is not available")
    with database.transaction() as conn:
        assert read_fences(conn, document_id) == before
        assert conn.execute("SELECT status FROM documents").fetchall() == [{"status": "completed"}]


def test_requires_either_ids_or_outdated(external_shell: Shell, document_id: str) -> None:
    assert "Pass either document ids or --outdated." in external_shell.run("retry", code=2)
    assert "Pass either document ids or --outdated." in external_shell.run("retry", document_id, "--outdated", code=2)
    assert "--again needs document ids" in external_shell.run("retry", "--outdated", "--again", code=2)
    assert "no workspace 'Elsewhere'" in external_shell.run("retry", "--outdated", "--workspace", "Elsewhere", code=2)
