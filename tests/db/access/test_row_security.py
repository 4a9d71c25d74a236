"""Tests of row-level security with direct SQL under the web role."""

from __future__ import annotations

from uuid import UUID

import psycopg
import pytest
from psycopg.errors import ForeignKeyViolation, InsufficientPrivilege

from docyard import queue
from docyard.db import Connection, Database
from docyard.db.connections import OPERATOR_ROLE, WEB_ROLE
from docyard.search import search
from tests.db.access.tenant_rows import TwoTenants

# Every table with a workspace_id, including new ones, is a tenant table and must have policies.
TENANT_TABLES = """
    SELECT c.relname AS name, c.relispartition AS part FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND (
        c.relname = 'workspaces' OR EXISTS (
            SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'workspace_id'))
"""


def tenant_tables(tenants: TwoTenants, privilege: str | None = None) -> list[str]:
    """Return the tenant tables, or only those on which the web role has this privilege."""
    names = sorted(row["name"] for row in tenants.fetch_all(TENANT_TABLES))
    assert len(names) > 20
    if privilege is None:
        return names
    allowed = "SELECT has_table_privilege(%s, %s, %s) AS may"
    found = [name for name in names if tenants.fetch_all(allowed, WEB_ROLE, name, privilege) == [{"may": True}]]
    assert "jobs" in found, "the web role has every privilege on some tables"
    return found


def key_of(table: str) -> str:
    return "id" if table == "workspaces" else "workspace_id"


def workspaces_seen(conn: Connection, table: str) -> set[UUID]:
    rows = conn.execute(f"SELECT {key_of(table)} AS w FROM {table}".encode())  # noqa: S608 (from the catalog)
    return {row["w"] for row in rows}


def test_every_tenant_table_has_policies_for_reading_and_writing(tenants: TwoTenants) -> None:
    policies = {
        row["tablename"]: row
        for row in tenants.fetch_all(
            "SELECT * FROM pg_policies WHERE schemaname = 'public' AND cmd = 'ALL' AND roles <> %s", [OPERATOR_ROLE]
        )
    }
    for table in tenant_tables(tenants):
        secured = tenants.fetch_all("SELECT relrowsecurity AS on FROM pg_class WHERE oid = %s::regclass", table)
        assert secured == [{"on": True}], f"{table} has no row-level security"
        privileges = [p for p in ("SELECT", "INSERT", "UPDATE", "DELETE") if table in tenant_tables(tenants, p)]
        if privileges:
            policy = policies[table]
            assert policy["roles"] == [WEB_ROLE]
            for rule in (policy["qual"], policy["with_check"]):
                assert f"{key_of(table)} = ( SELECT current_workspace()" in rule, table


def test_no_row_is_visible_without_a_workspace(tenants: TwoTenants) -> None:
    with tenants.web.transaction() as conn:
        for table in tenant_tables(tenants, "SELECT"):
            assert workspaces_seen(conn, table) == set(), table


def test_only_rows_of_the_current_workspace_are_visible(tenants: TwoTenants) -> None:
    tables = tenant_tables(tenants, "SELECT")
    assert {"documents", "jobs", "job_history", "dead_letters", "chunks", "pages", "workspaces"} <= set(tables)
    with tenants.owner.transaction() as conn:
        for table in tables:
            assert workspaces_seen(conn, table) == {tenants.mine, tenants.theirs}, (
                f"{table} has too few rows for this test"
            )
    with tenants.open_transaction() as conn:
        for table in tables:
            assert workspaces_seen(conn, table) == {tenants.mine}, table


def test_a_row_for_another_workspace_cannot_be_inserted(tenants: TwoTenants) -> None:
    for table in tenant_tables(tenants, "INSERT"):
        columns = ", ".join(
            row["attname"]
            for row in tenants.fetch_all(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
                " AND NOT attisdropped AND attidentity = '' AND attgenerated = ''",
                table,
            )
        )
        copied = ", ".join(f"r.{name}" for name in columns.split(", "))
        copy = f"INSERT INTO {table} ({columns}) SELECT {copied} FROM jsonb_populate_record(NULL::{table}, %s) r"  # noqa: S608 (from the catalog)
        (theirs,) = tenants.fetch_all(
            f"SELECT to_jsonb(t) AS row FROM {table} t WHERE workspace_id = %s LIMIT 1",  # noqa: S608 (from the catalog)
            tenants.theirs,
        )
        with pytest.raises(InsufficientPrivilege, match="row-level security"), tenants.open_transaction() as conn:
            conn.execute(copy.encode(), (psycopg.types.json.Jsonb(theirs["row"]),))


def test_rows_of_another_workspace_cannot_be_changed_or_deleted(tenants: TwoTenants) -> None:
    for table in tenant_tables(tenants, "UPDATE"):
        with tenants.open_transaction() as conn:
            grab = f"UPDATE {table} SET workspace_id = %s WHERE workspace_id = %s"  # noqa: S608 (from the catalog)
            assert conn.execute(grab.encode(), (tenants.mine, tenants.theirs)).rowcount == 0
        with pytest.raises(InsufficientPrivilege, match="row-level security"), tenants.open_transaction() as conn:
            conn.execute(grab.encode(), (tenants.theirs, tenants.mine))
    for table in tenant_tables(tenants, "DELETE"):
        count = f"SELECT count(*) AS n FROM {table} WHERE workspace_id = %s"  # noqa: S608 (from the catalog)
        before = tenants.fetch_all(count, tenants.theirs)
        with tenants.open_transaction() as conn:
            conn.execute(f"DELETE FROM {table}".encode())  # noqa: S608 (from the catalog)
        assert tenants.fetch_all(count, tenants.theirs) == before


def test_the_workspace_setting_ends_with_its_transaction(tenants: TwoTenants, database_address: str) -> None:
    with tenants.web.connect() as shown:
        address = f"{shown.info.dsn} password={shown.info.password}"
    one_connection = Database(lambda: address, size=1)
    with one_connection.transaction(tenants.mine) as conn:
        backend = conn.info.backend_pid
        assert workspaces_seen(conn, "documents") == {tenants.mine}
    with one_connection.transaction() as conn:
        assert conn.info.backend_pid == backend
        assert workspaces_seen(conn, "documents") == set()
    one_connection.close()


@pytest.mark.parametrize("setting", ["", "' OR true --", "*"])
def test_no_row_is_visible_with_an_invalid_workspace(tenants: TwoTenants, setting: str) -> None:
    with tenants.web.connect() as conn:
        conn.execute("SELECT set_config('docyard.workspace', %s, false)", (setting,))
        try:
            assert workspaces_seen(conn, "documents") == set()
        except psycopg.errors.InvalidTextRepresentation:
            assert setting  # the value was rejected, so no rows are visible either


def test_row_level_security_cannot_be_disabled(tenants: TwoTenants) -> None:
    with tenants.open_transaction() as conn:
        conn.execute("SET LOCAL row_security = off")
        with pytest.raises(InsufficientPrivilege, match="row-level security"):
            conn.execute("SELECT FROM documents")


@pytest.mark.parametrize("daily", [False, True], ids=["default partition", "a new day's partition"])
def test_partitions_of_the_history_cannot_be_read_directly(tenants: TwoTenants, *, daily: bool) -> None:
    names = ["job_history_default"]
    if daily:
        with tenants.owner.transaction() as conn:
            names = queue.ensure_partitions(conn)
            assert queue.return_detached_rows(conn) == 0
    for name in names:
        with pytest.raises(InsufficientPrivilege, match="permission denied"), tenants.open_transaction() as conn:
            conn.execute(f"SELECT FROM {name}".encode())
        assert tenants.fetch_all("SELECT relrowsecurity AS on FROM pg_class WHERE relname = %s", name) == [{"on": True}]
    with tenants.open_transaction() as conn:
        assert workspaces_seen(conn, "job_history") == {tenants.mine}


@pytest.mark.parametrize(
    ("table", "columns", "values"),
    [
        ("jobs", "pool, tier, type, stage", "'fetch', 1, 'document', 'fetch'"),
        ("renditions", "kind, page, blob_key, media_type", "'page', 9, current_workspace() || '/key', 'image/png'"),
    ],
)
def test_rows_cannot_refer_to_a_document_of_another_workspace(
    tenants: TwoTenants, table: str, columns: str, values: str
) -> None:
    add = f"INSERT INTO {table} (workspace_id, document_id, {columns}) VALUES (%s, %s, {values})"  # noqa: S608 (constant text)
    with tenants.open_transaction() as conn:
        conn.execute(add.encode(), (tenants.mine, tenants.documents[tenants.mine]))
    with pytest.raises(ForeignKeyViolation), tenants.open_transaction() as conn:
        conn.execute(add.encode(), (tenants.mine, tenants.documents[tenants.theirs]))


def test_a_document_of_another_workspace_cannot_become_a_parent(tenants: TwoTenants) -> None:
    add = "INSERT INTO documents (workspace_id, name, parent_id) VALUES (%s, 'child', %s)"
    with tenants.open_transaction() as conn:
        conn.execute(add, (tenants.mine, tenants.documents[tenants.mine]))
    with pytest.raises(ForeignKeyViolation), tenants.open_transaction() as conn:
        conn.execute(add, (tenants.mine, tenants.documents[tenants.theirs]))
    with pytest.raises(ForeignKeyViolation), tenants.open_transaction() as conn:
        conn.execute("UPDATE documents SET parent_id = %s", (tenants.documents[tenants.theirs],))


def test_a_document_cannot_be_in_a_folder_of_another_workspace(tenants: TwoTenants) -> None:
    folders = {row["workspace_id"]: row["id"] for row in tenants.fetch_all("SELECT id, workspace_id FROM folders")}
    add = "INSERT INTO documents (workspace_id, name, folder_id) VALUES (%s, 'in a folder', %s)"
    with tenants.open_transaction() as conn:
        conn.execute(add, (tenants.mine, folders[tenants.mine]))
    with pytest.raises(ForeignKeyViolation), tenants.open_transaction() as conn:
        conn.execute(add, (tenants.mine, folders[tenants.theirs]))
    with pytest.raises(ForeignKeyViolation), tenants.open_transaction() as conn:
        conn.execute("UPDATE documents SET folder_id = %s", (folders[tenants.theirs],))


def test_every_foreign_key_to_documents_includes_the_workspace(tenants: TwoTenants) -> None:
    """Foreign keys bypass row-level security; on the id alone, they would accept any document."""
    alone = tenants.fetch_all(
        "SELECT conrelid::regclass::text AS t FROM pg_constraint"
        " WHERE contype = 'f' AND confrelid = 'documents'::regclass AND cardinality(conkey) <> 2"
    )
    assert alone == []


def test_search_finds_only_documents_of_the_current_workspace(tenants: TwoTenants) -> None:
    with tenants.open_transaction() as conn:
        assert [hit.document_id for hit in search(conn, "abc").hits] == [tenants.documents[tenants.mine]]
    with tenants.web.transaction() as conn:
        assert search(conn, "abc").hits == []
    with tenants.web.transaction(tenants.theirs) as conn:
        result = search(conn, "abc")
        assert ([hit.document_id for hit in result.hits], result.total) == ([tenants.documents[tenants.theirs]], 1)
