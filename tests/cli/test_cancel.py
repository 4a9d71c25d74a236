"""`docyard cancel`: what ends, what is said of the rest, and how it goes on."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import NewJob
from docyard.store.people import get_or_create_workspace
from tests.cli.conftest import Shell
from tests.queue.crew import count


@pytest.fixture
def waiting(stray_shell: Shell, tmp_path: Path) -> list[str]:
    """Two documents in the queue."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text(f"Document {name}, soon unwanted.")
    added = stray_shell.json("add", *(str(tmp_path / f"{name}.txt") for name in ("one", "two")))
    return [line["document"] for line in added]


def status(conn: Connection, document_id: str) -> tuple[str, str | None]:
    row = conn.execute("SELECT status, reason FROM documents WHERE id = %s", (document_id,)).fetchone()
    assert row
    return row["status"], row["reason"]


def test_documents_are_cancelled_and_the_rest_is_named(
    stray_shell: Shell, waiting: list[str], database: Database
) -> None:
    stranger = str(uuid4())
    said = stray_shell.json("cancel", "document", waiting[0], stranger, code=1)
    assert said == {"cancelled": [waiting[0]], "left": {stranger: "There is no such document."}}
    assert "has already ended (cancelled)" in stray_shell.run("cancel", "document", waiting[0], code=1)
    with database.transaction() as conn:
        first, second = (status(conn, one) for one in waiting)
        assert first[0] == "cancelled"
        assert (first[1] or "").startswith("Cancelled by ")
        assert (first[1] or "").endswith(" at the command line.")
        assert second == ("pending", None)
        assert count(conn, "jobs") == 1
    stray_shell.run("worker", "--single-run")
    with database.transaction() as conn:
        assert [status(conn, one)[0] for one in waiting] == ["cancelled", "completed"]


def test_a_job_of_the_road_cancels_its_document_and_other_jobs_end_alone(
    stray_shell: Shell, waiting: list[str], database: Database
) -> None:
    with database.transaction() as conn:
        workspace = get_or_create_workspace(conn, "Main")
        (other,) = queue.enqueue(conn, [NewJob(workspace, "fetch", "email_embedding")])
        road = conn.execute("SELECT id FROM jobs WHERE document_id = %s", (waiting[0],)).fetchone()
    assert road
    assert "2 cancelled." in stray_shell.run("cancel", "job", str(road["id"]), str(other))
    assert "no such live job" in stray_shell.run("cancel", "job", str(other), code=1)
    with database.transaction() as conn:
        assert [status(conn, one)[0] for one in waiting] == ["cancelled", "pending"]
        assert count(conn, "job_history WHERE outcome = 'cancelled'") == 2


def test_what_is_no_id_is_wrong_usage(stray_shell: Shell) -> None:
    stray_shell.run("cancel", "document", "nonsense", code=2)
    stray_shell.run("cancel", "job", code=2)
