"""Tests of the view extracted_attachments."""

from __future__ import annotations

from uuid import UUID

from docyard.db import Connection, Database
from tests.queue.sql_interface.sql_session import fetch_one
from tests.store.graph.mention_writer import MentionWriter

QUERY = "SELECT * FROM extracted_attachments"


def test_the_view_shows_text_and_entities_of_attached_documents(
    database: Database, conn: Connection, workspace: UUID, other_workspace: UUID, web_database: Database
) -> None:
    writer = MentionWriter(database, workspace)
    attached = writer.put("pump.txt", ("equipment", "Pump 3"), ("person", "Ann Lee"), ("person", "LEE, ANN"))
    writer.put("other.txt", ("person", "Bo Po"))
    assert conn.execute(QUERY).fetchall() == [], "only documents attached to an external entity are listed"
    conn.execute("UPDATE documents SET entity_type = 'fault', entity_id = '7' WHERE id = %s", (attached,))
    row = fetch_one(conn, QUERY)
    assert (row["attachment_id"], row["entity_type"], row["entity_id"]) == (attached, "fault", "7")
    assert row["related_text"] == "Pump 3\nAnn Lee\nLEE, ANN\n"
    assert [(each["kind"], each["name"], each["mentions"]) for each in row["entities_extracted"]] == [
        ("equipment", "Pump 3", 1),
        ("person", "Ann Lee", 2),
    ]
    assert row["extraction_completed_at"] is None
    conn.execute(
        "INSERT INTO stage_results (document_id, workspace_id, stage, version, outcome, job_id, fence,"
        " worker_id, seconds)"
        " VALUES (%s, %s, 'canonicalise', 1, 'done', gen_random_uuid(), 1, gen_random_uuid(), 0)",
        (attached, workspace),
    )
    assert fetch_one(conn, QUERY)["extraction_completed_at"] is not None
    with web_database.transaction(other_workspace) as theirs:
        assert theirs.execute(QUERY).fetchall() == []
    with web_database.transaction(workspace) as mine:
        assert len(mine.execute(QUERY).fetchall()) == 1
