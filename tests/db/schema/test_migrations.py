"""Tests of migrations: concurrency, rejected databases and failures."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from docyard.db import Connection, Database, migrate, require_schema, schema_version
from docyard.db.embedded import EmbeddedServer
from docyard.db.objects import ObjectFile, load_object_files
from docyard.db.schema import Migration, Upgrade, find_pending, load_migrations
from docyard.errors import MigrationFailed, SchemaMissing, SchemaOutdated, SchemaTooNew, SetupError
from tests.chaos.instruments.proxy import Proxy

MODULE = sys.modules["docyard.db.migrate"]
VERSIONS = [migration.version for migration in load_migrations()]
EVERYTHING = Upgrade(tuple(load_migrations()), tuple(load_object_files()))


def applied_versions(conn: Connection) -> list[int]:
    return [row["version"] for row in conn.execute("SELECT version FROM schema_migrations ORDER BY version")]


def list_tables(conn: Connection) -> set[str]:
    return {row["relname"] for row in conn.execute("SELECT relname FROM pg_class WHERE relkind IN ('r', 'p')")}


def test_migrations_are_numbered_without_gaps() -> None:
    assert list(range(1, len(VERSIONS) + 1)) == VERSIONS


def test_an_empty_database_is_migrated_once(empty: Database) -> None:
    with empty.connect() as conn:
        assert schema_version(conn) == 0
        assert migrate(conn) == EVERYTHING
        assert schema_version(conn) == VERSIONS[-1]
        assert migrate(conn) == Upgrade()
        assert {"documents", "jobs", "workspaces"} <= list_tables(conn)


def test_concurrent_migrations_in_threads_succeed_and_apply_once(empty: Database) -> None:
    together = Barrier(4)

    def start(_: int) -> bool:
        with empty.connect() as conn:
            together.wait(timeout=30)
            return bool(migrate(conn))

    with ThreadPoolExecutor(4) as starters:
        done = list(starters.map(start, range(4)))
    assert sorted(done) == [False, False, False, True]
    with empty.connect() as conn:
        assert applied_versions(conn) == VERSIONS


class InterruptedConnection:
    """A connection that runs an action after its first statement."""

    def __init__(self, conn: Connection, action: Callable[[], object]) -> None:
        self.conn, self.action, self.executed = conn, action, 0

    def execute(self, *args: Any) -> Any:
        """Execute a statement; after the first one, run the action."""
        result = self.conn.execute(*args)
        self.executed += 1
        if self.executed == 1:
            self.action()
        return result


def test_a_check_during_a_concurrent_migration_succeeds(empty: Database, build: Callable[..., None]) -> None:
    build([Migration(1, "small", b"SELECT 1")], [])
    with empty.connect() as conn, empty.connect() as other:
        interrupted: Any = InterruptedConnection(conn, lambda: migrate(other))
        assert len(find_pending(interrupted).migrations) == 1
        assert find_pending(conn) == Upgrade()


START = """
import sys
from docyard.db import Database, migrate
db = Database(lambda: sys.argv[1])
with db.connect() as conn:
    sys.stdin.read()
    print(int(bool(migrate(conn))))
db.close()
"""


def test_two_processes_that_start_together_both_succeed(empty: Database) -> None:
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
    changed = [int(starter.stdout.read()) for starter in starters if starter.stdout]
    assert [starter.wait(timeout=60) for starter in starters] == [0, 0]
    assert sorted(changed) == [0, 1]
    for starter in starters:
        assert starter.stdout
        starter.stdout.close()


def test_a_second_database_of_the_cluster_can_be_migrated(empty: Database, database: Database) -> None:
    """All databases of the cluster share the web role, so it already exists."""
    with empty.connect() as conn:
        assert migrate(conn) == EVERYTHING


def test_waiting_for_a_suspended_migration_ends_and_reports_it(
    empty: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MODULE, "_TURN_SECONDS", 2.5)
    with empty.connect() as frozen, empty.connect() as conn, frozen.transaction():
        conn.execute("SET statement_timeout = '2s'")  # shorter than the wait, but does not end it
        frozen.execute("SELECT pg_advisory_xact_lock(%s)", (MODULE._LOCK,))
        with pytest.raises(MigrationFailed, match=rf"process {frozen.info.backend_pid} \(docyard.*migrating"):
            migrate(conn)


def test_a_current_schema_needs_no_lock(database: Database) -> None:
    with database.connect() as frozen, database.connect() as conn, frozen.transaction():
        frozen.execute("SELECT pg_advisory_xact_lock(%s)", (MODULE._LOCK,))
        conn.execute("SET lock_timeout = '1s'")
        assert migrate(conn) == Upgrade()
        require_schema(conn)


def test_a_newer_schema_is_rejected_and_not_changed(database: Database) -> None:
    with database.connect() as conn:
        conn.execute("INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, 'future', 'x')")
        for refuse in (migrate, require_schema):
            with pytest.raises(SchemaTooNew, match=rf"version 9999, .* supports only version {VERSIONS[-1]}.*Upgrade"):
                refuse(conn)
        assert applied_versions(conn) == [*VERSIONS, 9999]


def test_a_migration_changed_after_it_was_applied_is_rejected(database: Database) -> None:
    with database.connect() as conn:
        conn.execute("UPDATE schema_migrations SET checksum = 'other' WHERE version = 2")
        with pytest.raises(MigrationFailed, match="0002 was changed after it was applied"):
            migrate(conn)


def test_a_database_of_an_early_build_is_rejected_with_advice(empty: Database) -> None:
    with empty.connect() as conn:
        conn.execute("CREATE TABLE schema_migrations (version integer, name text, checksum text)")
        conn.execute("INSERT INTO schema_migrations VALUES (29, 'people', 'x')")
        for refuse in (migrate, require_schema):
            with pytest.raises(MigrationFailed, match=r"early build.*cannot be upgraded.*new database"):
                refuse(conn)
        assert list_tables(conn).isdisjoint({"documents", "schema_objects"})


def test_the_checksum_depends_on_the_text() -> None:
    first, file = load_migrations()[0], load_object_files()[0]
    assert replace(first, text=first.text + b" ").checksum != first.checksum
    assert replace(file, text=file.text + b" ").checksum != file.checksum


def test_a_failed_upgrade_is_rolled_back_and_releases_the_lock(empty: Database, build: Callable[..., None]) -> None:
    bad = Migration(2, "bad", b"CREATE TABLE half (); SELECT 1 / 0")
    good = Migration(1, "good", b"CREATE TABLE whole ()")
    build([good, bad], [])
    with empty.connect() as conn:
        with pytest.raises(MigrationFailed, match="0002_bad failed: division by zero"):
            migrate(conn)
        assert list_tables(conn).isdisjoint({"whole", "half", "schema_migrations"})
    build([good], [ObjectFile("broken.sql", b"CREATE VIEW broken AS SELECT nothing")])
    with empty.connect() as conn:
        with pytest.raises(MigrationFailed, match=r'broken.sql failed: column "nothing" does not exist'):
            migrate(conn)
        assert list_tables(conn).isdisjoint({"whole", "schema_migrations"})
    build([good, replace(bad, text=b"SELECT 1")], [])
    with empty.connect() as conn:  # in another session, which fails if the lock is not free
        conn.execute("SET lock_timeout = '5s'")
        assert len(migrate(conn).migrations) == 2


def test_a_missing_or_outdated_schema_is_reported_with_the_command(empty: Database, build: Callable[..., None]) -> None:
    with empty.connect() as conn:
        with pytest.raises(SchemaMissing, match=r"no Docyard schema yet.*docyard migrate"):
            require_schema(conn)
        build([*load_migrations()[:3]], [])
        migrate(conn)
        build()
        with pytest.raises(SchemaOutdated, match=r"older than this build.*docyard migrate"):
            require_schema(conn)


@pytest.fixture
def unprivileged(server: EmbeddedServer) -> Iterator[str]:
    """A role without the privilege to create tables."""
    with psycopg.connect(server.conninfo(), autocommit=True) as admin:
        admin.execute("CREATE ROLE unprivileged")
        yield "unprivileged"
        admin.execute("DROP ROLE unprivileged")


def test_a_role_without_create_privilege_gets_a_clear_error(empty: Database, unprivileged: str) -> None:
    with empty.connect() as conn:
        conn.execute("SET ROLE unprivileged")
        with pytest.raises(MigrationFailed, match=r"needs a role with more privileges.*: permission denied"):
            migrate(conn)


def test_a_read_only_role_can_start_with_a_current_schema(
    database: Database, database_name: str, unprivileged: str
) -> None:
    with database.connect() as conn:
        conn.execute("GRANT SELECT ON schema_migrations, schema_objects TO unprivileged")
        conn.execute("SET ROLE unprivileged")
        assert migrate(conn) == Upgrade()
        conn.execute("RESET ROLE")
        conn.execute("DROP OWNED BY unprivileged")


@pytest.mark.parametrize(("version", "shown"), [(140012, "14"), (90624, "9")])
def test_an_old_server_is_rejected_before_any_change(version: int, shown: str) -> None:
    old: Any = SimpleNamespace(info=SimpleNamespace(server_version=version))
    with pytest.raises(SetupError, match=f"PostgreSQL {shown} is too old. Docyard needs version 15 or later"):
        migrate(old)


def test_a_migration_may_take_longer_than_other_statements(empty: Database, build: Callable[..., None]) -> None:
    build([Migration(1, "slow", b"SELECT pg_sleep(1)")], [])
    with empty.connect() as conn, conn.limit_wait(0.5):
        conn.execute("SET statement_timeout = '500ms'")
        assert len(migrate(conn).migrations) == 1
        assert conn.longest_wait == 0.5
        assert conn.execute("SHOW statement_timeout").fetchone() == {"statement_timeout": "500ms"}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", [b"schema_migrations", b"pg_advisory_xact_lock", b"CREATE TABLE schema_objects"])
def test_a_connection_that_becomes_silent_before_the_first_migration_is_given_up(
    server: EmbeddedServer, empty: Database, monkeypatch: pytest.MonkeyPatch, text: bytes
) -> None:
    monkeypatch.setattr(MODULE, "_TURN_SECONDS", 0.1)
    monkeypatch.setattr(MODULE, "_ANSWER_SECONDS", 0.4)
    with empty.connect() as conn:
        name = conn.info.dbname
    with Proxy(lambda: int(conninfo_to_dict(server.conninfo())["port"] or 0), silenced=text) as proxy:
        behind = Database(lambda: make_conninfo(server.conninfo(), dbname=name, port=proxy.port))
        with behind.connect() as conn, conn.limit_wait(0.5):
            with pytest.raises(psycopg.OperationalError, match="did not answer"):
                migrate(conn)
            assert proxy.silent_count == 1
        behind.close()
