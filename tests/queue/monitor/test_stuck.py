"""One definition of stuck for the view, the command, samples and the Operations page."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.queue import monitor
from tests.pipeline.stage_runs import arrive
from tests.queue.sql_interface.sql_session import make_dead, make_running, make_scheduled, move_into_past


def list_stuck(conn: Connection) -> dict[str, set[UUID]]:
    """Return the stuck documents by the place that reports them."""
    with conn.transaction():
        monitor.take_sample(conn, lag=0)
    sample = monitor.get_latest_sample(conn)
    assert sample
    assert sample.count("stuck") == len(sample.stuck_documents)
    rows = conn.execute("SELECT source_document_uuid AS id FROM stuck_documents").fetchall()
    return {
        "view": {row["id"] for row in rows},
        "command": {line.id for line in monitor.find_stuck_documents(conn)},
        "sample": set(sample.stuck_documents),
        "page": {line.id for line in monitor.collect_overview(conn).stuck},
    }


def assert_stuck(conn: Connection, *expected: UUID) -> None:
    assert list_stuck(conn) == {key: set(expected) for key in ("view", "command", "sample", "page")}


def test_documents_that_have_not_ended_are_stuck_after_an_hour(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    pending, scheduled = arrive(database, workspace), make_scheduled(database, workspace)
    running, _ = make_running(database, workspace)
    assert_stuck(conn)
    for document_id in (pending, scheduled, running):
        move_into_past(conn, document_id, "59 minutes")
    assert_stuck(conn)
    for document_id in (pending, scheduled, running):
        move_into_past(conn, document_id, "2 minutes")
    assert_stuck(conn, pending, scheduled, running)


def test_failed_documents_are_stuck_only_if_a_reset_can_revive_them(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    revivable, exhausted = (make_dead(database, workspace, "network") for _ in range(2))
    final, discarded = make_dead(database, workspace, "corrupt"), make_dead(database, workspace, "network")
    conn.execute("UPDATE dead_letters SET attempts = max_attempts WHERE document_id = %s", (exhausted,))
    queue.discard(conn, [letter.id for letter in queue.find_letters_of_document(conn, discarded)])
    for document_id in (revivable, exhausted, final, discarded):
        move_into_past(conn, document_id, "61 minutes")
    assert_stuck(conn, revivable)
    (line,) = monitor.find_stuck_documents(conn)
    assert (line.status, line.job, line.attempts) == ("failed", None, 1)
    conn.execute("UPDATE documents SET deleted_at = now() WHERE id = %s", (revivable,))
    assert_stuck(conn)


def test_a_document_inserted_with_an_error_is_stuck_and_reset(conn: Connection, workspace: UUID) -> None:
    row = conn.execute(
        "INSERT INTO source_documents (project_uuid, original_file_path, initial_processing_status)"
        " VALUES (%s, 's3://b/a.pdf', 'error_scanner') RETURNING document_uuid AS id",
        (workspace,),
    ).fetchone()
    assert row
    move_into_past(conn, row["id"], "2 hours")
    assert_stuck(conn, row["id"])
    assert queue.find_resettable_documents(conn, cool_down=300, limit=9) == [row["id"]]
    assert conn.execute("SELECT reset_failed_documents_for_retry() AS n").fetchone() == {"n": 1}
    assert_stuck(conn)


@pytest.mark.parametrize("attempts", [1, 2])
def test_attempts_are_those_of_the_queue_entry(
    database: Database, conn: Connection, workspace: UUID, attempts: int
) -> None:
    document_id, _ = make_running(database, workspace)
    conn.execute(
        "INSERT INTO jobs (id, workspace_id, pool, tier, type, stage, document_id, arrived_at)"
        " VALUES ('00000000-0000-0000-0000-000000000001', %s, 'chunk', 1, 'document', 'chunk', %s, now())",
        (workspace, document_id),
    )
    conn.execute("UPDATE jobs SET attempts = %s WHERE stage <> 'chunk'", (attempts,))
    move_into_past(conn, document_id, "2 hours")
    (line,) = monitor.find_stuck_documents(conn)
    row = conn.execute("SELECT attempts FROM document_processing_queue").fetchone()
    assert row == {"attempts": line.attempts} == {"attempts": attempts}
