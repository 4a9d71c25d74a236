"""The commands `docyard queue` and `docyard dead`: counts, resets and selections."""

from __future__ import annotations

import json
import re
from uuid import UUID

from docyard.db import Connection, Database
from docyard.queue import monitor
from tests.cli.conftest import Shell
from tests.pipeline.stage_runs import arrive
from tests.queue.sql_interface.sql_session import make_dead, make_running, make_scheduled, move_into_past


def test_status_counts_documents_and_says_when(
    external_shell: Shell, database: Database, conn: Connection, workspace: UUID, other_workspace: UUID
) -> None:
    running, _ = make_running(database, workspace)
    make_dead(database, other_workspace, "corrupt")
    arrive(database, workspace, "one.txt")
    arrive(database, other_workspace, "two.txt")
    move_into_past(conn, running, "2 hours")
    monitor.take_sample(conn, lag=0)
    conn.execute("UPDATE queue_samples SET taken_at = taken_at - interval '5 minutes'")
    found = external_shell.json("queue", "status")
    assert found["documents"] == {"pending": 2, "processing": 1, "failed": 1}
    assert (found["states"], found["dead"], found["stuck"]) == ({"pending": 2, "running": 1}, 1, 1)
    assert found["counted_at"] > found["sampled_at"]
    output = external_shell.run("queue", "status")
    assert re.search(r"^Counted at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\.$", output, re.MULTILINE)
    assert "Documents: 2 pending, 1 processing, 1 failed; 1 stuck for over an hour." in output
    assert "Jobs: 2 pending, 1 running; 1 dead letter;" in output
    assert re.search(r"Success in the last day, sampled \d+ minutes ago: ", output)


def test_resets_failed_documents_after_the_cool_down(
    external_shell: Shell, database: Database, conn: Connection, workspace: UUID, other_workspace: UUID
) -> None:
    for each in (workspace, workspace, other_workspace):
        move_into_past(conn, make_dead(database, each, "network"), "10 minutes")
    move_into_past(conn, make_dead(database, workspace, "corrupt"), "10 minutes")
    make_dead(database, workspace, "network")
    assert "0 failed documents are in the queue again." in external_shell.run(
        "queue", "reset-failed", "--cool-down", "20"
    )
    assert external_shell.json("queue", "reset-failed", "--workspace", "Other") == {
        "reset": 1,
        "waiting_for_retry": 0,
        "locked": 0,
    }
    assert "2 failed documents are in the queue again." in external_shell.run("queue", "reset-failed")
    assert "1 failed document is in the queue again." in external_shell.run("queue", "reset-failed", "--cool-down", "0")
    assert "There is no workspace 'Typo'" in external_shell.run("queue", "reset-failed", "--workspace", "Typo", code=2)
    assert conn.execute("SELECT category FROM dead_letters").fetchall() == [{"category": "corrupt"}]


def test_documents_that_wait_for_a_retry_are_counted_apart(
    external_shell: Shell, database: Database, conn: Connection, workspace: UUID
) -> None:
    for document_id in (make_dead(database, workspace, "network"), make_scheduled(database, workspace)):
        move_into_past(conn, document_id, "10 minutes")
    arrive(database, workspace)
    found = external_shell.json("queue", "status")
    assert (found["documents"], found["waiting_for_retry"]) == ({"pending": 2, "failed": 1}, 1)
    output = external_shell.run("queue", "status")
    assert "Documents: 2 pending, 1 failed; 1 of the pending waits for a retry; 0 stuck for over an hour." in output
    view = {row["status"]: row["count"] for row in conn.execute("SELECT status, count FROM queue_health_status")}
    assert view == {"pending": 1, "failed": 2}
    output = external_shell.run("queue", "reset-failed")
    assert "2 failed documents are in the queue again. 1 of them waited for a retry." in output
    assert external_shell.json("queue", "status")["waiting_for_retry"] == 0


def test_resets_the_others_if_a_document_is_locked(
    external_shell: Shell, database: Database, conn: Connection, workspace: UUID
) -> None:
    locked, *_ = [make_dead(database, workspace, "network") for _ in range(4)]
    with database.transaction() as other:
        other.execute("SELECT FROM documents WHERE id = %s FOR UPDATE", (locked,))
        output = external_shell.run("queue", "reset-failed", "--cool-down", "0")
    assert "3 failed documents are in the queue again." in output
    assert "1 document was skipped, because another transaction is changing it. Run the command again." in output
    assert external_shell.json("queue", "reset-failed", "--cool-down", "0")["reset"] == 1


def test_replay_by_id_respects_the_category(external_shell: Shell, database: Database, workspace: UUID) -> None:
    for category in ("network", "corrupt"):
        make_dead(database, workspace, category)
    letters = {letter["category"]: letter["id"] for letter in external_shell.json("dead", "list")}
    command = ("dead", "replay", *letters.values(), "--category", "network", "--json")
    output = external_shell.run(*command, code=1)
    assert json.loads(output.split("\n}")[0] + "\n}") == {"replayed": [letters["network"]]}
    assert "Not replayed: 1. Each of these does not exist, does not match the options," in output
    assert [letter["category"] for letter in external_shell.json("dead", "list")] == ["corrupt"]


def test_hints_name_the_workspace(external_shell: Shell, database: Database, workspace: UUID) -> None:
    with database.transaction() as conn:
        conn.execute("INSERT INTO workspaces (name) VALUES ('Dry dock')")
    dock = ("--workspace", "Dry dock")
    assert "docyard connection add --workspace 'Dry dock'" in external_shell.run("connection", "list", *dock)
    empty = external_shell.run("connection", "list")
    assert "docyard connection add" in empty
    assert "--workspace" not in empty
    hint = external_shell.run("entity", "merge", "Ada", "Bob", *dock, code=2)
    assert "docyard entity list --workspace 'Dry dock'" in hint
    added = external_shell.run("types", "add", "bill_of_lading", "--description", "Receipt for cargo on board.", *dock)
    assert "docyard types classify-again --workspace 'Dry dock'" in added
