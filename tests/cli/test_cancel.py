"""Tests of `docyard cancel`."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import NewJob
from docyard.store.users import get_or_create_workspace
from tests.cli.conftest import Shell
from tests.queue.queue_workers import count_rows


@pytest.fixture
def document_ids(external_shell: Shell, tmp_path: Path) -> list[str]:
    """The ids of two queued documents."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text(f"Document {name}, soon unwanted.")
    added = external_shell.json("add", *(str(tmp_path / f"{name}.txt") for name in ("one", "two")))
    return [line["document"] for line in added]


def status(conn: Connection, document_id: str) -> tuple[str, str | None]:
    row = conn.execute("SELECT status, reason FROM documents WHERE id = %s", (document_id,)).fetchone()
    assert row
    return row["status"], row["reason"]


def test_cancels_documents_and_reports_refused_ids(
    external_shell: Shell, document_ids: list[str], database: Database
) -> None:
    unknown = str(uuid4())
    result = external_shell.json("cancel", "document", document_ids[0], unknown, code=1)
    assert result == {"cancelled": [document_ids[0]], "left": {unknown: "There is no such document."}}
    assert "has already ended (cancelled)" in external_shell.run("cancel", "document", document_ids[0], code=1)
    with database.transaction() as conn:
        first, second = (status(conn, one) for one in document_ids)
        assert first[0] == "cancelled"
        assert (first[1] or "").startswith("Cancelled by ")
        assert (first[1] or "").endswith(" at the command line.")
        assert second == ("pending", None)
        assert count_rows(conn, "jobs") == 1
    external_shell.run("worker", "--single-run")
    with database.transaction() as conn:
        assert [status(conn, one)[0] for one in document_ids] == ["cancelled", "completed"]


def test_cancelling_a_job_cancels_the_document_it_processes(
    external_shell: Shell, document_ids: list[str], database: Database
) -> None:
    with database.transaction() as conn:
        workspace = get_or_create_workspace(conn, "Main")
        (other,) = queue.enqueue(conn, [NewJob(workspace, "fetch", "email_embedding")])
        processing = conn.execute("SELECT id FROM jobs WHERE document_id = %s", (document_ids[0],)).fetchone()
    assert processing
    assert "2 cancelled." in external_shell.run("cancel", "job", str(processing["id"]), str(other))
    assert "There is no queued or running job" in external_shell.run("cancel", "job", str(other), code=1)
    with database.transaction() as conn:
        assert [status(conn, one)[0] for one in document_ids] == ["cancelled", "pending"]
        assert count_rows(conn, "job_history WHERE outcome = 'cancelled'") == 2


def test_invalid_or_missing_ids_are_usage_errors(external_shell: Shell) -> None:
    external_shell.run("cancel", "document", "nonsense", code=2)
    external_shell.run("cancel", "job", code=2)
