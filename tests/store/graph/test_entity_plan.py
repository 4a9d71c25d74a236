"""Query plans of the entity page: the cost depends on the rows shown, not on the number of mentions."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Connection, Database
from docyard.db.connections import WEB_ROLE
from docyard.store.graph import entities
from tests.queue.query_plans import count_rows_read, find_table_nodes, record_plans
from tests.store.graph.mention_writer import MentionWriter

MENTIONS = 50_000
OWN = 5_000  # mentions of the tested entity; they are the oldest
SHOWN = 20


def fill(conn: Connection, workspace: UUID, entity: UUID) -> None:
    """Add 500 documents, each of which mentions one entity ten times and 90 other entities once."""
    conn.execute(
        "INSERT INTO documents (workspace_id, name, status, completed_at)"
        " SELECT %s, 'd' || n, 'completed', now() FROM generate_series(1, 500) AS n",
        (workspace,),
    )
    conn.execute(
        "INSERT INTO entities (id, workspace_id, kind, key, name, compared_at)"
        " SELECT gen_random_uuid(), %s, 'person', 'w' || n %% 500 || ' p' || n, 'P', now()"
        " FROM generate_series(1, 20000) AS n",
        (workspace,),
    )
    add = (
        "INSERT INTO mentions (document_id, workspace_id, kind, page, start_offset, end_offset, text, normal,"
        " confidence, source, entity_id)"
        " SELECT d.id, d.workspace_id, 'person', 1, n, n + 3, 'Ann', 'Ann', 0.9, 'rule', {} FROM documents d"
        " CROSS JOIN generate_series(%s::integer, %s::integer) AS n"
        " WHERE d.name LIKE 'd%%' AND d.workspace_id = %s"
    )
    others = "(SELECT e.id FROM entities e WHERE e.key LIKE 'w%%' AND e.key = 'w' || n || ' p' || n)"
    conn.execute(add.format("%s").encode(), (entity, 1, OWN // 500, workspace))
    conn.execute(add.format(others).encode(), (OWN // 500 + 1, MENTIONS // 500, workspace))


@pytest.mark.parametrize("analysed", [True, False], ids=["analysed", "never analysed"])
def test_a_frequently_mentioned_entity_is_read_by_index(
    database: Database, writer: MentionWriter, workspace: UUID, analysed: bool
) -> None:
    writer.put("first", ("person", "Ann"))
    ann = writer.id("person", "Ann")
    with database.connect() as conn:
        fill(conn, workspace, ann)
        if analysed:
            conn.execute("ANALYZE")
        with record_plans(conn) as nodes:
            conn.execute(f"SET ROLE {WEB_ROLE}")
            conn.execute("SELECT set_config('docyard.workspace', %s, false)", (str(workspace),))
            found = entities.list_entity_mentions(conn, [ann], limit=SHOWN)
            assert len(found) == SHOWN
            below = entities.list_entity_mentions(conn, [ann], below=found[-1].id, limit=SHOWN)
            assert max(each.id for each in below) < min(each.id for each in found)
            assert len(entities.find_entities(conn, words=["w499"], kinds=["person"])) == 40
        conn.execute("RESET ROLE")
        used = {node.get("Index Name") for node in nodes}
        assert {"mentions_by_entity", "entities_words"} <= used
        # Before the first ANALYZE, all mentions of this entity may be read, but no others.
        limit = SHOWN if analysed else OWN + 1
        assert max(count_rows_read(node) for node in find_table_nodes(nodes, "mentions")) <= limit
        # The word occurs in the keys of 40 entities.
        assert max(count_rows_read(node) for node in find_table_nodes(nodes, "entities")) <= 80
