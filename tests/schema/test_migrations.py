"""Migrations: from nothing to now, by many starters at once, and never over what is newer or changed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from docyard.db import Connection, Database, migrate, schema_version
from docyard.db.embedded import EmbeddedServer
from docyard.db.migrate import Migration, migrations, newest_version
from docyard.errors import MigrationFailed, SchemaTooNew, Setup
from docyard.model.values import Chunk
from docyard.store.people import get_or_create_workspace
from docyard.store.results import save_chunks
from docyard.store.words import fold_text_changes

VERSIONS = [migration.version for migration in migrations()]
MODULE = "docyard.db.migrate"


def applied(conn: Connection) -> list[int]:
    return [row["version"] for row in conn.execute("SELECT version FROM schema_migrations ORDER BY version")]


def tables(conn: Connection) -> set[str]:
    return {
        row["relname"] for row in conn.execute("SELECT relname FROM pg_class WHERE relkind IN ('r', 'p')")
    }


def test_migrations_are_numbered_without_gaps() -> None:
    assert list(range(1, len(VERSIONS) + 1)) == VERSIONS
    assert newest_version() == VERSIONS[-1]


def test_an_empty_database_is_brought_up_to_date_and_then_left_alone(empty: Database) -> None:
    with empty.connect() as conn:
        assert schema_version(conn) == 0
        assert migrate(conn) == VERSIONS
        assert schema_version(conn) == newest_version()
        assert migrate(conn) == []
        assert {"documents", "jobs", "workspaces"} <= tables(conn)


def test_starters_in_threads_all_succeed_and_apply_each_migration_once(empty: Database) -> None:
    together = Barrier(4)

    def start(_: int) -> list[int]:
        with empty.connect() as conn:
            together.wait(timeout=30)
            return migrate(conn)

    with ThreadPoolExecutor(4) as starters:
        done = list(starters.map(start, range(4)))
    assert sorted(done) == [[], [], [], VERSIONS]
    with empty.connect() as conn:
        assert applied(conn) == VERSIONS


START = """
import sys
from docyard.db import Database, migrate
db = Database(lambda: sys.argv[1])
with db.connect() as conn:
    sys.stdin.read()
    print(len(migrate(conn)))
db.close()
"""


def test_two_processes_that_start_at_once_both_succeed(empty: Database) -> None:
    with empty.connect() as conn:
        address = conn.info.dsn + f" password={conn.info.password}"
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", START, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for starter in starters:
        assert starter.stdin
        starter.stdin.close()
    counts = [int(starter.stdout.read()) for starter in starters if starter.stdout]
    assert [starter.wait(timeout=60) for starter in starters] == [0, 0]
    assert sorted(counts) == [0, len(VERSIONS)]
    for starter in starters:
        assert starter.stdout
        starter.stdout.close()


def test_another_database_of_the_same_cluster_can_be_migrated_too(
    empty: Database, database: Database
) -> None:
    """The web role belongs to the whole cluster and is there already."""
    with empty.connect() as conn:
        assert migrate(conn) == VERSIONS


def test_a_newer_schema_is_refused_and_left_as_it_is(database: Database) -> None:
    with database.connect() as conn:
        conn.execute("INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, 'future', 'x')")
        with pytest.raises(
            SchemaTooNew, match=rf"version 9999; this program knows {newest_version()}.*Upgrade"
        ):
            migrate(conn)
        assert applied(conn) == [*VERSIONS, 9999]


def test_a_migration_changed_after_it_was_applied_is_refused(database: Database) -> None:
    with database.connect() as conn:
        conn.execute("UPDATE schema_migrations SET checksum = 'other' WHERE version = 2")
        with pytest.raises(MigrationFailed, match="0002 was changed after it was applied"):
            migrate(conn)


def test_the_checksum_is_of_the_text() -> None:
    first = migrations()[0]
    assert replace(first, text=first.text + b" ").checksum != first.checksum


def test_a_migration_that_fails_leaves_nothing_behind_and_lets_others_try(
    empty: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = Migration(2, "bad", b"CREATE TABLE half (); SELECT 1 / 0")
    good = Migration(1, "good", b"CREATE TABLE whole ()")
    monkeypatch.setattr(sys.modules[MODULE], "migrations", lambda: [good, bad])
    with empty.connect() as conn:
        with pytest.raises(MigrationFailed, match="0002_bad failed: division by zero"):
            migrate(conn)
        assert applied(conn) == [1]
        assert {"whole", "half"} & tables(conn) == {"whole"}
    monkeypatch.setattr(sys.modules[MODULE], "migrations", lambda: [good, replace(bad, text=b"SELECT 1")])
    with empty.connect() as conn:  # another session: the lock must be free
        conn.execute("SET lock_timeout = '5s'")
        assert migrate(conn) == [2]


def test_passages_of_an_older_installation_are_indexed_and_counted_anew(
    empty: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = migrations()
    monkeypatch.setattr(sys.modules[MODULE], "migrations", lambda: known[:20])
    with empty.connect() as conn:
        migrate(conn)
        workspace = get_or_create_workspace(conn, "Old")
        row = conn.execute(
            "INSERT INTO documents (workspace_id, name) VALUES (%s, 'old.pdf') RETURNING id", (workspace,)
        ).fetchone()
        assert row
        chunks = [
            Chunk(n, 1, 0, len(text), text) for n, text in enumerate(("main-\ntenance", "maintenance plan"))
        ]
        save_chunks(conn, row["id"], workspace, chunks[:1], "en")
        fold_text_changes(conn, 10)
        save_chunks(conn, row["id"], workspace, chunks, "en")  # not yet added up when the upgrade comes
    monkeypatch.setattr(sys.modules[MODULE], "migrations", lambda: known)
    with empty.connect() as conn:
        assert migrate(conn) == [migration.version for migration in known[20:]]
        fold_text_changes(conn, 10)
        counts = conn.execute("SELECT lexeme, chunks FROM lexemes WHERE lexeme IN ('mainten', 'plan')")
        assert {row["lexeme"]: row["chunks"] for row in counts} == {"mainten": 2, "plan": 1}
        found = conn.execute("SELECT count(*) AS n FROM chunks WHERE terms @@ 'mainten'").fetchone()
        assert found == {"n": 2}
        totals = conn.execute("SELECT chunks, characters FROM text_totals").fetchall()
        assert totals == [{"chunks": 2, "characters": len("main-\ntenance") + len("maintenance plan")}]


@pytest.fixture
def poor(server: EmbeddedServer) -> Iterator[str]:
    """A role that may create nothing."""
    with psycopg.connect(server.conninfo(), autocommit=True) as admin:
        admin.execute("CREATE ROLE poor")
        yield "poor"
        admin.execute("DROP ROLE poor")


def test_a_role_that_may_not_create_is_told_that_it_needs_more_rights(empty: Database, poor: str) -> None:
    with empty.connect() as conn:
        conn.execute("SET ROLE poor")
        with pytest.raises(MigrationFailed, match="needs more rights: permission denied"):
            migrate(conn)


def test_a_role_that_may_only_look_can_start_when_nothing_is_missing(
    database: Database, database_name: str, poor: str
) -> None:
    with database.connect() as conn:
        conn.execute("GRANT SELECT ON schema_migrations TO poor")
        conn.execute("SET ROLE poor")
        assert migrate(conn) == []
        conn.execute("RESET ROLE")
        conn.execute("DROP OWNED BY poor")


@pytest.mark.parametrize(("version", "shown"), [(140012, "14"), (90624, "9")])
def test_a_server_that_is_too_old_is_refused_before_anything_is_done(version: int, shown: str) -> None:
    old: Any = SimpleNamespace(info=SimpleNamespace(server_version=version))
    with pytest.raises(Setup, match=f"PostgreSQL {shown} is too old; Docyard needs 15 or later"):
        migrate(old)
