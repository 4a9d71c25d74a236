"""Two workspaces with rows, and access to one of them under the web role."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any
from uuid import UUID, uuid4

from docyard.db import Connection, Database
from docyard.store.embeddings import has_vector_tables
from tests.db.schema.invalid_rows import GOOD

ROWS = (
    *(
        "attachments",
        "blobs",
        "connections",
        "document_types",
        "stage_results",
        "pages",
        "chunks",
        "jobs",
        "job_history",
        "sessions",
    ),
    *("field_values", "mentions", "entity_merges", "relations", "tags", "folders"),
)
NEW_TOKEN = {"token_hash": "sha256(random()::text::bytea)"}


class TwoTenants:
    """Two workspaces, `mine` and `theirs`, each with rows in every table that the web role reads."""

    def __init__(self, owner: Database, web: Database, mine: UUID, theirs: UUID) -> None:
        self.owner = owner
        self.web = web
        self.mine = mine
        self.theirs = theirs
        self.documents = {workspace: self._insert_rows(workspace) for workspace in (mine, theirs)}

    def open_transaction(self) -> AbstractContextManager[Connection]:
        """Open a transaction of the web role in the workspace `mine`."""
        return self.web.transaction(self.mine)

    def fetch_all(self, query: str, *params: object) -> list[dict[str, Any]]:
        """Run a query as the owner, which sees all rows."""
        with self.owner.transaction() as conn:
            return conn.execute(query.encode(), params or None).fetchall()

    def _insert_rows(self, workspace: UUID) -> UUID:
        """Insert rows of this workspace and return the id of its document."""
        with self.owner.transaction() as conn:
            user = insert_returning_id(
                conn, "INSERT INTO users (email) VALUES (gen_random_uuid() || '@b.c') RETURNING id"
            )
            conn.execute("INSERT INTO memberships VALUES (%s, %s, 'admin')", (workspace, user))
            document = insert_returning_id(
                conn, "INSERT INTO documents (workspace_id, name) VALUES (%s, 'd') RETURNING id", workspace
            )
            ids = {"w": str(workspace), "d": str(document), "u": str(user)}
            ids |= insert_two_entities(conn, workspace)
            for table in ROWS:
                row = GOOD[table] | NEW_TOKEN if table == "sessions" else GOOD[table]
                conn.execute(make_insert(table, row, ids))
            conn.execute(
                "INSERT INTO renditions (document_id, workspace_id, kind, page, blob_key, media_type)"
                " VALUES (%s, %s, 'page', 1, %s || '/key', 'image/png')",
                (document, workspace, str(workspace)),
            )
            conn.execute(
                "INSERT INTO dead_letters (id, workspace_id, pool, tier, priority, type, payload, attempts,"
                " max_attempts, replays, fence, failure_history, arrived_at, category, message, retryable)"
                " VALUES (gen_random_uuid(), %s, 'fetch', 1, 1, 'test', '{}',"
                " 1, 3, 0, 1, '[]', now(), 'c', 'm', true)",
                (workspace,),
            )
            conn.execute(
                "INSERT INTO embedding_models (name, fingerprint, dims) VALUES ('three', 'f', 3) ON CONFLICT DO NOTHING"
            )
            conn.execute(
                "INSERT INTO embedded_documents SELECT %s, %s, id, 1 FROM embedding_models", (document, workspace)
            )
            self._embed(conn, workspace, document)
            conn.execute("INSERT INTO lanes (pool, tier, workspace_id) VALUES ('fetch', 1, %s)", (workspace,))
            return document

    def _embed(self, conn: Connection, workspace: UUID, document: UUID) -> None:
        if has_vector_tables(conn):  # the server may lack pgvector
            conn.execute(
                "INSERT INTO chunk_embeddings SELECT c.id, m.id, c.document_id, c.workspace_id, '[1,2,3]'"
                " FROM chunks c, embedding_models m WHERE c.document_id = %s",
                (document,),
            )
            conn.execute(
                "INSERT INTO tag_embeddings SELECT t.id, m.id, t.workspace_id, '[1,2,3]'"
                " FROM tags t, embedding_models m WHERE t.workspace_id = %s",
                (workspace,),
            )


def insert_two_entities(conn: Connection, workspace: UUID) -> dict[str, str]:
    """Insert two entities and return their ids as `e` and `f`; `e` is the smaller id."""
    lesser, greater = sorted(str(uuid4()) for _ in range(2))
    for each in (lesser, greater):
        conn.execute(
            "INSERT INTO entities (id, workspace_id, kind, key, name) VALUES (%s, %s, 'person', %s, 'P')",
            (each, workspace, each),
        )
    return {"e": lesser, "f": greater}


def make_insert(table: str, row: dict[str, str], ids: dict[str, str]) -> bytes:
    """Return an INSERT statement for a row of SQL expressions, in which `ids` replace the placeholders."""
    text = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join(row.values())})"  # noqa: S608 (constant text)
    return text.format(**ids).encode()


def insert_returning_id(conn: Connection, query: str, *params: object) -> UUID:
    row = conn.execute(query.encode(), params or None).fetchone()
    assert row
    return UUID(str(row["id"]))
