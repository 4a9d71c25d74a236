"""Straight SQL under the web role: one's own workspace, the whole of it, and nothing else."""

from __future__ import annotations

from uuid import UUID

import psycopg
import pytest
from psycopg.errors import ForeignKeyViolation, InsufficientPrivilege

from docyard import queue
from docyard.db import Connection, Database
from docyard.db.connect import OPERATOR_ROLE, WEB_ROLE
from docyard.search import search
from tests.db.access.town import Town

# A tenant's table is one that names a workspace; a new one is found by that and must be guarded.
TENANT_TABLES = """
    SELECT c.relname AS name, c.relispartition AS part FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND (
        c.relname = 'workspaces' OR EXISTS (
            SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'workspace_id'))
"""


def tenant_tables(town: Town, privilege: str | None = None) -> list[str]:
    """The tables that hold tenants' rows; only those on which the web role has this privilege, if named."""
    names = sorted(row["name"] for row in town.ask(TENANT_TABLES))
    assert len(names) > 20
    if privilege is None:
        return names
    allowed = "SELECT has_table_privilege(%s, %s, %s) AS may"
    found = [name for name in names if town.ask(allowed, WEB_ROLE, name, privilege) == [{"may": True}]]
    assert "jobs" in found, "the web role has every privilege on these"
    return found


def key_of(table: str) -> str:
    return "id" if table == "workspaces" else "workspace_id"


def workspaces_seen(conn: Connection, table: str) -> set[UUID]:
    rows = conn.execute(f"SELECT {key_of(table)} AS w FROM {table}".encode())  # noqa: S608 (from the catalog)
    return {row["w"] for row in rows}


def test_every_tenant_table_is_guarded_by_a_policy_for_reading_and_writing(town: Town) -> None:
    policies = {
        row["tablename"]: row
        for row in town.ask(
            "SELECT * FROM pg_policies WHERE schemaname = 'public' AND cmd = 'ALL' AND roles <> %s",
            [OPERATOR_ROLE],
        )
    }
    for table in tenant_tables(town):
        secured = town.ask("SELECT relrowsecurity AS on FROM pg_class WHERE oid = %s::regclass", table)
        assert secured == [{"on": True}], f"{table} has no row security"
        privileges = [p for p in ("SELECT", "INSERT", "UPDATE", "DELETE") if table in tenant_tables(town, p)]
        if privileges:
            policy = policies[table]
            assert policy["roles"] == [WEB_ROLE]
            for rule in (policy["qual"], policy["with_check"]):
                assert f"{key_of(table)} = ( SELECT current_workspace()" in rule, table


def test_without_a_workspace_nothing_is_seen(town: Town) -> None:
    with town.web.transaction() as conn:
        for table in tenant_tables(town, "SELECT"):
            assert workspaces_seen(conn, table) == set(), table


def test_with_a_workspace_its_own_rows_are_seen_and_no_others(town: Town) -> None:
    tables = tenant_tables(town, "SELECT")
    assert {"documents", "jobs", "job_history", "dead_letters", "chunks", "pages", "workspaces"} <= set(
        tables
    )
    with town.owner.transaction() as conn:
        for table in tables:
            assert workspaces_seen(conn, table) == {town.mine, town.theirs}, (
                f"{table} holds too little to tell"
            )
    with town.inside() as conn:
        for table in tables:
            assert workspaces_seen(conn, table) == {town.mine}, table


def test_a_row_for_another_workspace_cannot_be_inserted(town: Town) -> None:
    for table in tenant_tables(town, "INSERT"):
        columns = ", ".join(
            row["attname"]
            for row in town.ask(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
                " AND NOT attisdropped AND attidentity = '' AND attgenerated = ''",
                table,
            )
        )
        copied = ", ".join(f"r.{name}" for name in columns.split(", "))
        copy = (
            f"INSERT INTO {table} ({columns}) SELECT {copied} FROM jsonb_populate_record(NULL::{table}, %s) r"  # noqa: S608 (from the catalog)
        )
        (theirs,) = town.ask(
            f"SELECT to_jsonb(t) AS row FROM {table} t WHERE workspace_id = %s LIMIT 1",  # noqa: S608 (from the catalog)
            town.theirs,
        )
        with pytest.raises(InsufficientPrivilege, match="row-level security"), town.inside() as conn:
            conn.execute(copy.encode(), (psycopg.types.json.Jsonb(theirs["row"]),))


def test_rows_of_another_workspace_can_neither_be_changed_nor_deleted_nor_taken(town: Town) -> None:
    for table in tenant_tables(town, "UPDATE"):
        with town.inside() as conn:
            grab = f"UPDATE {table} SET workspace_id = %s WHERE workspace_id = %s"  # noqa: S608 (from the catalog)
            assert conn.execute(grab.encode(), (town.mine, town.theirs)).rowcount == 0
        with pytest.raises(InsufficientPrivilege, match="row-level security"), town.inside() as conn:
            conn.execute(grab.encode(), (town.theirs, town.mine))
    for table in tenant_tables(town, "DELETE"):
        before = town.ask(f"SELECT count(*) AS n FROM {table} WHERE workspace_id = %s", town.theirs)  # noqa: S608 (from the catalog)
        with town.inside() as conn:
            conn.execute(f"DELETE FROM {table}".encode())  # noqa: S608 (from the catalog)
        assert town.ask(f"SELECT count(*) AS n FROM {table} WHERE workspace_id = %s", town.theirs) == before  # noqa: S608 (from the catalog)


def test_the_workspace_is_forgotten_with_its_transaction(town: Town, database_address: str) -> None:
    with town.web.connect() as shown:
        address = f"{shown.info.dsn} password={shown.info.password}"
    one_connection = Database(lambda: address, size=1)
    with one_connection.transaction(town.mine) as conn:
        backend = conn.info.backend_pid
        assert workspaces_seen(conn, "documents") == {town.mine}
    with one_connection.transaction() as conn:
        assert conn.info.backend_pid == backend
        assert workspaces_seen(conn, "documents") == set()
    one_connection.close()


@pytest.mark.parametrize("setting", ["", "' OR true --", "*"])
def test_a_setting_that_is_no_workspace_shows_nothing(town: Town, setting: str) -> None:
    with town.web.connect() as conn:
        conn.execute("SELECT set_config('docyard.workspace', %s, false)", (setting,))
        try:
            assert workspaces_seen(conn, "documents") == set()
        except psycopg.errors.InvalidTextRepresentation:
            assert setting  # it was refused, which shows nothing either


def test_row_security_cannot_be_switched_off(town: Town) -> None:
    with town.inside() as conn:
        conn.execute("SET LOCAL row_security = off")
        with pytest.raises(InsufficientPrivilege, match="row-level security"):
            conn.execute("SELECT FROM documents")


@pytest.mark.parametrize("daily", [False, True], ids=["default partition", "a new day's partition"])
def test_the_partitions_of_the_history_cannot_be_read_around_their_parent(town: Town, *, daily: bool) -> None:
    names = ["job_history_default"]
    if daily:
        with town.owner.transaction() as conn:
            names = queue.ensure_partitions(conn)
    for name in names:
        with pytest.raises(InsufficientPrivilege, match="permission denied"), town.inside() as conn:
            conn.execute(f"SELECT FROM {name}".encode())
        assert town.ask("SELECT relrowsecurity AS on FROM pg_class WHERE relname = %s", name) == [
            {"on": True}
        ]
    with town.inside() as conn:
        assert workspaces_seen(conn, "job_history") == {town.mine}


@pytest.mark.parametrize(
    ("table", "columns", "values"),
    [
        ("jobs", "pool, tier, type, stage", "'fetch', 1, 'document', 'fetch'"),
        (
            "renditions",
            "kind, page, blob_key, media_type",
            "'page', 9, current_workspace() || '/key', 'image/png'",
        ),
    ],
)
def test_nothing_can_be_attached_to_a_document_of_another_workspace(
    town: Town, table: str, columns: str, values: str
) -> None:
    add = f"INSERT INTO {table} (workspace_id, document_id, {columns}) VALUES (%s, %s, {values})"  # noqa: S608 (our own words)
    with town.inside() as conn:
        conn.execute(add.encode(), (town.mine, town.documents[town.mine]))
    with pytest.raises(ForeignKeyViolation), town.inside() as conn:
        conn.execute(add.encode(), (town.mine, town.documents[town.theirs]))


def test_a_document_of_another_workspace_cannot_become_a_parent(town: Town) -> None:
    add = "INSERT INTO documents (workspace_id, name, parent_id) VALUES (%s, 'child', %s)"
    with town.inside() as conn:
        conn.execute(add, (town.mine, town.documents[town.mine]))
    with pytest.raises(ForeignKeyViolation), town.inside() as conn:
        conn.execute(add, (town.mine, town.documents[town.theirs]))
    with pytest.raises(ForeignKeyViolation), town.inside() as conn:
        conn.execute("UPDATE documents SET parent_id = %s", (town.documents[town.theirs],))


def test_a_document_cannot_be_put_into_a_folder_of_another_workspace(town: Town) -> None:
    folders = {row["workspace_id"]: row["id"] for row in town.ask("SELECT id, workspace_id FROM folders")}
    add = "INSERT INTO documents (workspace_id, name, folder_id) VALUES (%s, 'in a folder', %s)"
    with town.inside() as conn:
        conn.execute(add, (town.mine, folders[town.mine]))
    with pytest.raises(ForeignKeyViolation), town.inside() as conn:
        conn.execute(add, (town.mine, folders[town.theirs]))
    with pytest.raises(ForeignKeyViolation), town.inside() as conn:
        conn.execute("UPDATE documents SET folder_id = %s", (folders[town.theirs],))


def test_every_reference_to_a_document_also_names_its_workspace(town: Town) -> None:
    """Foreign keys look past row security, so one by id alone would be a way into other workspaces."""
    alone = town.ask(
        "SELECT conrelid::regclass::text AS t FROM pg_constraint"
        " WHERE contype = 'f' AND confrelid = 'documents'::regclass AND cardinality(conkey) <> 2"
    )
    assert alone == []


def test_search_finds_only_ones_own(town: Town) -> None:
    with town.inside() as conn:
        assert [hit.document_id for hit in search(conn, "abc").hits] == [town.documents[town.mine]]
    with town.web.transaction() as conn:
        assert search(conn, "abc").hits == []
    with town.web.transaction(town.theirs) as conn:
        result = search(conn, "abc")
        assert ([hit.document_id for hit in result.hits], result.total) == ([town.documents[town.theirs]], 1)
