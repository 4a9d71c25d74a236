"""Only `up` and `migrate` change a schema; every other command says what is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from docyard.db import Database
from tests.cli.conftest import Shell
from tests.db.schema.catalog import catalog

OTHERS = [
    ("search", "words"),
    ("queue", "status"),
    ("add", "."),
    ("worker", "--single-run"),
    ("serve", "--port", "0"),
    ("dead", "list"),
]


def outdate(database: Database) -> None:
    """Let the database be that of an earlier build: a function was another one then."""
    with database.transaction() as conn:
        conn.execute("UPDATE schema_objects SET checksum = 'older' WHERE name = 'claim_jobs.sql'")
        conn.execute("DROP FUNCTION claim_jobs")


@pytest.mark.parametrize("command", OTHERS, ids=lambda command: str(command[0]))
def test_a_command_leaves_an_older_schema_as_it_is_and_says_what_to_do(
    stray_shell: Shell, database: Database, command: tuple[str, ...]
) -> None:
    outdate(database)
    with database.connect() as conn:
        before = catalog(conn)
        assert "older than this build of Docyard. Run: docyard migrate" in stray_shell.run(*command, code=3)
        assert catalog(conn) == before


def test_migrate_brings_it_up_to_date_and_the_others_work_again(
    stray_shell: Shell, database: Database
) -> None:
    with database.connect() as conn:
        whole = catalog(conn)
        outdate(database)
        assert "claim_jobs.sql" in stray_shell.run("migrate")
        assert catalog(conn) == whole
    assert "already current" in stray_shell.run("migrate")
    stray_shell.run("queue", "status")


def test_a_missing_pool_is_made_by_migrate_alone(stray_shell: Shell, database: Database) -> None:
    """A build with a new stage needs the pool of that stage."""
    with database.transaction() as conn:
        conn.execute("DELETE FROM pools WHERE pool = 'relate'")
    for command in OTHERS:
        assert "older than this build of Docyard. Run: docyard migrate" in stray_shell.run(*command, code=3)
    assert "schema: The database schema is older" in stray_shell.run("doctor", code=3)
    assert "Made the pools relate." in stray_shell.run("migrate")
    assert "already current" in stray_shell.run("migrate")
    stray_shell.run("queue", "status")


def test_a_pool_of_another_resource_is_changed_by_migrate_alone(
    stray_shell: Shell, database: Database
) -> None:
    """A build whose stage needs something else must not be served by workers for what it needed before."""
    with database.transaction() as conn:
        conn.execute("UPDATE pools SET resource = 'ocr' WHERE pool = 'relate'")
        conn.execute("UPDATE pools SET gives = 'Other' WHERE pool = 'fields'")
    assert "Run: docyard migrate" in stray_shell.run("queue", "status", code=3)
    assert "Changed the pools fields, relate (cpu, was ocr)." in stray_shell.run("migrate")
    assert "already current" in stray_shell.run("migrate")
    stray_shell.run("queue", "status")


def test_tables_for_vectors_that_are_made_later_are_named(stray_shell: Shell, database: Database) -> None:
    """As when pgvector is installed after the rest."""
    with database.transaction() as conn:
        conn.execute("DROP TABLE chunk_embeddings, tag_embeddings")
    assert "Made the tables for vectors." in stray_shell.run("migrate")
    assert "already current" in stray_shell.run("migrate")


def test_the_doctor_examines_an_outdated_database_too(stray_shell: Shell, database: Database) -> None:
    outdate(database)
    said = stray_shell.run("doctor", code=3)
    assert "schema: The database schema is older" in said
    assert "database: PostgreSQL" in said


def test_where_nothing_is_nothing_is_made(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for command in OTHERS:
        assert "There is no Docyard in" in Shell(home).run(*command, code=3)
    assert not home.exists()
