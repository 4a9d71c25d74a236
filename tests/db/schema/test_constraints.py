"""Tests that constraints reject invalid rows."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import uuid4

import psycopg
import pytest

from docyard.db import Connection
from tests.db.schema.invalid_rows import CHECKS, GOOD, ONCE

CASES = [(name, change) for name, changes in CHECKS.items() for change in changes]


@pytest.fixture(scope="module")
def ids(migrated: Connection) -> dict[str, str]:
    """The ids of a workspace, a document, a member, a user without membership, and two entities."""

    def fetch_id(query: str) -> str:
        row = migrated.execute(query.encode()).fetchone()
        assert row
        return str(row["id"])

    workspace = fetch_id("INSERT INTO workspaces (name) VALUES ('Main') RETURNING id")
    user = fetch_id("INSERT INTO users (email) VALUES ('m@b.c') RETURNING id")
    migrated.execute("INSERT INTO memberships VALUES (%s, %s, 'admin')", (workspace, user))
    document = fetch_id("INSERT INTO documents (workspace_id, name) SELECT id, 'd' FROM workspaces RETURNING id")
    stranger = fetch_id("INSERT INTO users (email) VALUES ('s@b.c') RETURNING id")
    add = (
        "INSERT INTO entities (id, workspace_id, kind, key, name) SELECT '{}', id, 'person', '{}', 'P' FROM workspaces"
    )
    lesser, greater = sorted(str(uuid4()) for _ in range(2))
    for each in (lesser, greater):
        migrated.execute(add.format(each, each).encode())
    return {"w": workspace, "d": document, "u": user, "stranger": stranger, "e": lesser, "f": greater}


def insert(table: str, change: Mapping[str, str], ids: Mapping[str, str]) -> bytes:
    row = {**GOOD[table], **change}
    text = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join(row.values())})"  # noqa: S608 (constant text)
    return text.format(**ids).encode()


def find_table(name: str) -> str:
    """Return the table of a constraint or index, whose name starts with the name of the table."""
    return max((table for table in GOOD if name.startswith(f"{table}_")), key=len)


@pytest.mark.parametrize("table", sorted(set(GOOD) - {"memberships"}))
def test_a_valid_row_is_accepted(migrated: Connection, ids: dict[str, str], table: str) -> None:
    with migrated.transaction(force_rollback=True):
        migrated.execute(insert(table, {}, ids))


@pytest.mark.parametrize(("name", "change"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_an_invalid_row_is_rejected(
    migrated: Connection, ids: dict[str, str], name: str, change: dict[str, str]
) -> None:
    with pytest.raises(psycopg.errors.CheckViolation) as refusal, migrated.transaction(force_rollback=True):
        migrated.execute(insert(find_table(name), change, ids))
    assert refusal.value.diag.constraint_name == name


@pytest.mark.parametrize("name", ONCE)
def test_a_duplicate_row_is_rejected(migrated: Connection, ids: dict[str, str], name: str) -> None:
    once, other = ONCE[name]
    with migrated.transaction(force_rollback=True):
        for change in (once, other, other):
            migrated.execute(insert(find_table(name), change, ids))
        with pytest.raises(psycopg.errors.UniqueViolation) as refusal, migrated.transaction():
            migrated.execute(insert(find_table(name), once, ids))
    assert refusal.value.diag.constraint_name == name


def test_every_check_and_partial_unique_index_has_a_case(migrated: Connection) -> None:
    checks = migrated.execute(
        "SELECT DISTINCT conname AS name FROM pg_constraint"
        " WHERE contype = 'c' AND connamespace = 'public'::regnamespace AND conrelid <> 0"
    )
    assert {row["name"] for row in checks} == set(CHECKS)
    unique = migrated.execute(
        "SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
        " WHERE i.indisunique AND i.indpred IS NOT NULL AND c.relnamespace = 'public'::regnamespace"
    )
    assert {row["name"] for row in unique} == set(ONCE)


def test_a_session_requires_a_membership_and_ends_with_it(migrated: Connection, ids: dict[str, str]) -> None:
    with migrated.transaction(force_rollback=True):
        with pytest.raises(psycopg.errors.ForeignKeyViolation), migrated.transaction():
            migrated.execute(insert("sessions", {"user_id": f"'{ids['stranger']}'"}, ids))
        migrated.execute(insert("sessions", {}, ids))
        migrated.execute("DELETE FROM memberships")
        assert migrated.execute("SELECT FROM sessions").fetchall() == []


def test_deleting_a_workspace_deletes_all_its_rows(migrated: Connection, ids: dict[str, str]) -> None:
    shared = {"pools", "pool_breakers", "breaker_marks", "workers", "tallies", "duties", "queue_samples"}
    shared |= {"embedding_models", "blob_store", "locked_heartbeats"}
    kept = {"job_history", "workspaces", "users", "tiers", "sign_in_links", "memberships"} | shared
    tables = set(GOOD) - kept
    assert len(tables) > 15
    with migrated.transaction(force_rollback=True):
        for table in tables:
            migrated.execute(insert(table, {}, ids))
        migrated.execute("DELETE FROM workspaces")
        for table in tables:
            rows = migrated.execute(f"SELECT FROM {table}".encode()).fetchall()
            assert rows == [], table
