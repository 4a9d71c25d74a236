"""Searching under the web role still uses the index that row security would otherwise put out of reach."""

from __future__ import annotations

from uuid import UUID

from docyard.db import Connection, Database
from docyard.db.connect import WEB_ROLE
from docyard.search import search
from tests.queue.plans import explained, on, rows_read

CHUNKS = 20_000
OWN = 1_000


def fill(conn: Connection, workspace: UUID, chunks: int) -> None:
    conn.execute(
        "INSERT INTO documents (workspace_id, name) SELECT %s, 'd' || n FROM generate_series(1, %s) AS n",
        (workspace, chunks // 100),
    )
    conn.execute(
        "INSERT INTO chunks"
        " (document_id, workspace_id, ordinal, page, start_offset, end_offset, text, config)"
        " SELECT d.id, d.workspace_id, n, 1, 0, char_length(t.text), t.text, 'simple' FROM documents d"
        " CROSS JOIN generate_series(1, 100) AS n"
        " CROSS JOIN LATERAL (SELECT 'common w' || (d.seq * 100 + n) %% 1000) AS t (text)"
        " WHERE d.workspace_id = %s",
        (workspace,),
    )


def test_search_under_the_web_role_uses_the_index(
    database: Database, workspace: UUID, other_workspace: UUID
) -> None:
    with database.connect() as conn:
        fill(conn, other_workspace, CHUNKS)
        fill(conn, workspace, OWN)
        conn.execute("ANALYZE chunks, documents")
        with explained(conn) as nodes:
            conn.execute(f"SET ROLE {WEB_ROLE}")
            conn.execute("SELECT set_config('docyard.workspace', %s, false)", (str(workspace),))
            found = search(conn, "w7")
        assert found.total > 0
        assert {node.get("Index Name") for node in nodes} >= {"chunks_terms"}
        # The word stands in one chunk of a thousand, whoever owns it.
        assert max(rows_read(node) for node in on(nodes, "chunks")) <= 2 * (CHUNKS + OWN) // 1000
