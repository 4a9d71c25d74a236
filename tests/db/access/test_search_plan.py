"""Tests that searches under the web role use indexes despite row-level security."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Connection, Database
from docyard.db.connections import WEB_ROLE
from docyard.search import search
from docyard.search.query_probes import MAX_PROBE_DEPTH
from docyard.store.documents import DocumentFilter, list_documents
from tests.queue.query_plans import Node, count_rows_read, find_table_nodes, record_plans

CHUNKS = 50_000
OWN = 5_000


def fill(conn: Connection, workspace: UUID, chunks: int) -> None:
    """Insert chunks that contain `common` and one of a thousand words, and update the word counts."""
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
    conn.execute(
        "SELECT note_text_change(%s, array_agg(config), array_agg(text), 1) FROM chunks WHERE workspace_id = %s",
        (workspace, workspace),
    )
    conn.execute("SELECT fold_text_changes(9)")


def explain_search(conn: Connection, workspace: UUID, words: str) -> tuple[int, list[Node]]:
    """Return the number of documents that a search finds, and every node of its plans."""
    with record_plans(conn) as nodes:
        conn.execute(f"SET ROLE {WEB_ROLE}")
        conn.execute("SELECT set_config('docyard.workspace', %s, false)", (str(workspace),))
        found = search(conn, words)
    conn.execute("RESET ROLE")
    return found.total, nodes


@pytest.mark.parametrize("analysed", [True, False], ids=["analysed", "never analysed"])
def test_search_under_the_web_role_reads_a_bounded_number_of_rows(
    database: Database, workspace: UUID, other_workspace: UUID, analysed: bool
) -> None:
    with database.connect() as conn:
        fill(conn, other_workspace, CHUNKS)
        fill(conn, workspace, OWN)
        if analysed:
            conn.execute("ANALYZE")
        total, nodes = explain_search(conn, workspace, "w7")
        assert total > 0
        used = {"chunks_terms", "documents_title"} if analysed else {"chunks_terms"}
        assert {node.get("Index Name") for node in nodes} >= used
        # One chunk in a thousand contains the word; only those of the current workspace are read.
        assert max(count_rows_read(node) for node in find_table_nodes(nodes, "chunks")) <= 2 * OWN // 1000
        # For a word in every chunk, neither all chunks nor those of other workspaces are read.
        total, nodes = explain_search(conn, workspace, "common")
        assert total > 0
        assert max(count_rows_read(node) for node in find_table_nodes(nodes, "chunks")) <= MAX_PROBE_DEPTH


@pytest.mark.parametrize("analysed", [True, False], ids=["analysed", "never analysed"])
def test_a_list_by_tag_reads_only_matching_documents(
    database: Database, workspace: UUID, other_workspace: UUID, analysed: bool
) -> None:
    with database.connect() as conn:
        for owner, count in ((other_workspace, 20_000), (workspace, 30_000)):
            conn.execute(
                "INSERT INTO documents (workspace_id, name, tags) SELECT %s, 'd' || n,"
                " CASE WHEN n %% 5000 = 1 THEN '{Rare,Usual}'::text[] ELSE '{Usual}' END"
                " FROM generate_series(1, %s) AS n",
                (owner, count),
            )
        if analysed:
            conn.execute("ANALYZE")
        found, nodes = explain_list(conn, workspace, "rare")
        assert found == [f"d{n}" for n in range(25_001, 0, -5000)]
        assert "documents_by_tag" in {node.get("Index Name") for node in nodes}
        assert max(count_rows_read(node) for node in find_table_nodes(nodes, "documents")) <= len(found)
        # If nearly all documents have the tag, the newest are read until a page is full.
        found, nodes = explain_list(conn, workspace, "usual")
        assert found == [f"d{n}" for n in range(30_000, 29_950, -1)]
        if analysed:
            assert max(count_rows_read(node) for node in find_table_nodes(nodes, "documents")) <= 1001


def explain_list(conn: Connection, workspace: UUID, tag: str) -> tuple[list[str], list[Node]]:
    """Return the first page of the list under the web role, and every node of its plans."""
    with record_plans(conn) as nodes:
        conn.execute(f"SET ROLE {WEB_ROLE}")
        conn.execute("SELECT set_config('docyard.workspace', %s, false)", (str(workspace),))
        found = list_documents(conn, workspace, DocumentFilter(tag=tag))
    conn.execute("RESET ROLE")
    return [document.name for document in found], nodes
