"""The reference page on SQL lists every column, and the statements of the how-to page run."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from uuid import UUID

import pytest

from docyard.db import Connection
from docyard.db.embedded import EmbeddedServer
from tests.conftest import open_folder
from tests.queue.sql_interface.sql_session import Psql, fetch_one

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "how-to" / "use-sql.md").read_text(encoding="utf-8")
REFERENCE = (DOCS / "reference" / "sql.md").read_text(encoding="utf-8")
VIEWS = (
    *("source_documents", "document_processing_queue", "queue_health_status", "stuck_documents"),
    *("extraction_jobs", "extracted_attachments"),
)


@pytest.mark.parametrize("view", VIEWS)
def test_the_page_documents_every_column(conn: Connection, view: str) -> None:
    (section,) = [part for part in REFERENCE.split("\n## ") if view == part.splitlines()[0]]
    columns = conn.execute(
        "SELECT attname AS name FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0", (view,)
    )
    assert [c["name"] for c in columns if not re.search(rf"\b{c['name']}\b", section)] == []


def test_the_command_on_the_page_connects_to_the_embedded_server(tmp_path: Path, psql_program: Path) -> None:
    (command,) = re.findall(r"^    (PGPASSWORD=.*)$", PAGE, re.MULTILINE)
    with open_folder() as home, EmbeddedServer.attach(home):
        (tmp_path / "var").symlink_to(home)
        done = subprocess.run(
            ["/bin/sh", "-c", f"{command} -A -t -c 'SELECT current_user, current_database()'"],
            cwd=tmp_path,
            env={"PATH": f"{psql_program.parent}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.stdout.strip(), done.stderr) == ("postgres|docyard", "")


def test_every_statement_on_the_page_runs(
    conn: Connection, workspace: UUID, other_workspace: UUID, psql: Psql, web_psql: Psql
) -> None:
    conn.execute(
        "INSERT INTO documents (workspace_id, name, blob_key) SELECT %s, 'n' || n, %s FROM generate_series(1, 50) AS n",
        (workspace, f"{workspace}/x"),
    )
    conn.execute("INSERT INTO documents (workspace_id, name) VALUES (%s, 'theirs')", (other_workspace,))
    all_sessions = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    (web_session,) = [session for session in all_sessions if "docyard.workspace" in session]
    named = re.sub(r"'[0-9a-f-]{36}'", f"'{workspace}'", web_session)
    assert web_psql(named).splitlines() == ["BEGIN", str(workspace), "50", "COMMIT"]
    sessions = [session for session in all_sessions if session != web_session]
    printed = "\n".join(psql(session) for session in sessions)
    assert len(sessions) >= 7
    assert fetch_one(conn, "SELECT count(*) AS n FROM source_documents") == {"n": 1051}
    states = conn.execute(
        "SELECT id, status, priority, error_message FROM document_processing_queue"
        " WHERE id BETWEEN 42 AND 47 ORDER BY id"
    ).fetchall()
    scanner = "The scanner is out of order."
    assert [tuple(row.values()) for row in states] == [
        (42, "completed", 100, None),
        (43, "pending", 100, "Page 3 has no end."),
        (44, "pending", 1, None),
        (45, "cancelled", 100, None),
        (46, "failed", 100, scanner),
        (47, "completed", 100, None),
    ]
    claimed = conn.execute(
        "SELECT status, attempts, count(*) AS n FROM document_processing_queue"
        " WHERE processor_id = 'ocr-3' GROUP BY status, attempts ORDER BY status"
    ).fetchall()
    assert [tuple(row.values()) for row in claimed] == [("ocr_complete", 1, 1), ("pre_ocr_processing", 1, 4)]
    assert "attachment_ingestion|pending|0|" in printed
