"""Tests that only `up` and `migrate` change the schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from docyard.db import Database
from tests.cli.conftest import Shell
from tests.db.schema.catalog import read_catalog

OTHER_COMMANDS = [
    ("search", "words"),
    ("queue", "status"),
    ("add", "."),
    ("worker", "--single-run"),
    ("serve", "--port", "0"),
    ("dead", "list"),
]


def outdate(database: Database) -> None:
    """Make the schema look like that of an older version, without one of its functions."""
    with database.transaction() as conn:
        conn.execute("UPDATE schema_objects SET checksum = 'older' WHERE name = 'claim_jobs.sql'")
        conn.execute("DROP FUNCTION claim_jobs")


@pytest.mark.parametrize("command", OTHER_COMMANDS, ids=lambda command: str(command[0]))
def test_other_commands_reject_an_outdated_schema_without_changing_it(
    external_shell: Shell, database: Database, command: tuple[str, ...]
) -> None:
    outdate(database)
    with database.connect() as conn:
        before = read_catalog(conn)
        assert "older than this build of Docyard. Run: docyard migrate" in external_shell.run(*command, code=3)
        assert read_catalog(conn) == before


def test_migrate_updates_an_outdated_schema(external_shell: Shell, database: Database) -> None:
    with database.connect() as conn:
        current = read_catalog(conn)
        outdate(database)
        assert "claim_jobs.sql" in external_shell.run("migrate")
        assert read_catalog(conn) == current
    assert "already current" in external_shell.run("migrate")
    external_shell.run("queue", "status")


def test_only_migrate_creates_a_missing_pool(external_shell: Shell, database: Database) -> None:
    """A version with a new stage needs a pool for it."""
    with database.transaction() as conn:
        conn.execute("DELETE FROM pools WHERE pool = 'relate'")
    for command in OTHER_COMMANDS:
        assert "older than this build of Docyard. Run: docyard migrate" in external_shell.run(*command, code=3)
    assert "schema: The database schema is older" in external_shell.run("doctor", code=3)
    assert "Created the pools relate." in external_shell.run("migrate")
    assert "already current" in external_shell.run("migrate")
    external_shell.run("queue", "status")


def test_only_migrate_changes_the_resource_of_a_pool(external_shell: Shell, database: Database) -> None:
    """A new version may move a stage to another resource; workers of the old resource must not run it."""
    with database.transaction() as conn:
        conn.execute("UPDATE pools SET resource = 'ocr' WHERE pool = 'relate'")
        conn.execute("UPDATE pools SET gives = 'Other' WHERE pool = 'fields'")
    assert "Run: docyard migrate" in external_shell.run("queue", "status", code=3)
    assert "Changed the pools fields, relate (cpu, was ocr)." in external_shell.run("migrate")
    assert "already current" in external_shell.run("migrate")
    external_shell.run("queue", "status")


def test_migrate_reports_vector_tables_created_later(external_shell: Shell, database: Database) -> None:
    """The extension pgvector may be installed after Docyard."""
    with database.transaction() as conn:
        conn.execute("DROP TABLE chunk_embeddings, tag_embeddings")
    assert "Created the tables for embedding vectors." in external_shell.run("migrate")
    assert "already current" in external_shell.run("migrate")


def test_doctor_checks_an_outdated_database(external_shell: Shell, database: Database) -> None:
    outdate(database)
    output = external_shell.run("doctor", code=3)
    assert "schema: The database schema is older" in output
    assert "database: PostgreSQL" in output


def test_commands_do_not_create_a_home_folder(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for command in OTHER_COMMANDS:
        assert "There is no Docyard installation in" in Shell(home).run(*command, code=3)
    assert not home.exists()
