"""Tests of object files: they are applied when they change, with the privileges that they grant."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from threading import Event, Thread

import pytest

from docyard.db import Connection, Database, lock_retries, migrate, require_schema
from docyard.db.objects import ObjectFile, load_object_files
from docyard.db.schema import Migration, Upgrade, load_migrations
from docyard.errors import MigrationFailed, SchemaOutdated, SchemaTooNew
from docyard.pipeline.pools import install
from tests.db.schema.catalog import read_catalog

RIGHTS = re.compile(rb"^(?:REVOKE|GRANT) [^;]*? ON (?:FUNCTION )?([^;]+?) (?:FROM|TO) ", re.MULTILINE)


def edit_file(name: str, old: bytes, new: bytes) -> list[ObjectFile]:
    """Return all object files, with one of them changed."""
    assert any(file.name == name and old in file.text for file in load_object_files())
    return [
        replace(file, text=file.text.replace(old, new)) if file.name == name else file for file in load_object_files()
    ]


def test_only_changed_files_are_applied_again(database: Database, build: Callable[..., None]) -> None:
    build(objects=edit_file("text_size.sql", b"coalesce(sum(t.chunks), 0)", b"coalesce(sum(t.chunks), 7)"))
    with database.connect() as conn:
        with pytest.raises(SchemaOutdated, match="docyard migrate"):
            require_schema(conn)
        assert [file.name for file in migrate(conn).objects] == ["text_size.sql"]
        assert conn.execute("SELECT chunks FROM text_size()").fetchone() == {"chunks": 7}
        require_schema(conn)


def test_an_upgraded_schema_equals_a_new_one(empty: Database, database: Database, build: Callable[..., None]) -> None:
    """An upgrade replaces the functions and privileges of an earlier release."""
    older = [replace(file, text=_empty_functions(file.text)) for file in load_object_files()]
    build(objects=older, release="0.0.9")
    with empty.connect() as conn:
        install(conn)
        before = read_catalog(conn)
        build()
        assert len(install(conn).schema.objects) > 20
        upgraded = read_catalog(conn)
    with database.connect() as conn:
        assert upgraded == read_catalog(conn)
    assert before != upgraded


def _empty_functions(text: bytes) -> bytes:
    """Return the file with empty plpgsql functions and other privileges; its other objects are unchanged."""
    text = re.sub(rb"^(REVOKE|GRANT) [^;]+;", b"", text, flags=re.MULTILINE)
    granted = b"".join(
        b"\nGRANT EXECUTE ON FUNCTION %b TO docyard_operator;" % name
        for name in re.findall(rb"^CREATE OR REPLACE FUNCTION (\w+)\(", text, re.MULTILINE)
    )
    text += granted
    pattern = re.compile(rb"(LANGUAGE plpgsql[^$]*AS \$(\w*)\$).*?\$\2\$", re.DOTALL)
    return pattern.sub(rb"\1 BEGIN RETURN NULL; END $\2$", text)


def test_all_objects_exist_after_a_migration(database: Database, build: Callable[..., None]) -> None:
    """The migration drops a view and all objects that depend on it; applying all files restores them."""
    drop = Migration(load_migrations()[-1].version + 1, "drop", b"DROP VIEW document_processing_queue CASCADE")
    with database.connect() as conn:
        whole = read_catalog(conn)
        build([*load_migrations(), drop])
        upgrade = migrate(conn)
        assert (upgrade.migrations, len(upgrade.objects)) == ((drop,), len(load_object_files()))
        assert read_catalog(conn) == whole


def test_objects_of_a_newer_release_are_not_replaced(database: Database, build: Callable[..., None]) -> None:
    changed = edit_file("text_size.sql", b"coalesce(sum(t.chunks), 0)", b"coalesce(sum(t.chunks), 7)")
    with database.connect() as conn:
        build(objects=changed, release="0.10.0")
        assert migrate(conn)
        build(release="0.9.1")
        for refuse in (migrate, require_schema):
            with pytest.raises(SchemaTooNew, match=r"migrated by Docyard 0\.10\.0, but this is Docyard 0\.9\.1"):
                refuse(conn)
        assert conn.execute("SELECT chunks FROM text_size()").fetchone() == {"chunks": 7}


def test_every_function_view_and_trigger_is_in_one_file(migrated: Connection) -> None:
    texts = b"\n".join([file.text for file in load_object_files()] + [each.text for each in load_migrations()])
    defined = re.findall(rb"^CREATE (?:OR REPLACE )?(?:FUNCTION|VIEW|TRIGGER) (\w+)", texts, re.MULTILINE)
    names = [name.partition(" ")[2] for name in read_catalog(migrated)]
    made = [
        re.split(r"[.(]", name.rpartition(".")[2] if kind == "trigger" else name)[0]
        for kind, _, name in (each.partition(" ") for each in read_catalog(migrated))
        if kind in ("function", "view", "trigger")
    ]
    assert len(names) > 1000
    assert sorted(each.decode() for each in defined) == sorted(made)


def test_every_file_starts_with_its_purpose() -> None:
    files = load_object_files()
    assert len(files) > 40
    for file in files:
        assert re.match(rb"-- [A-Z].{20,}", file.text), file.name
        assert not re.search(rb"^CREATE (?!OR REPLACE)", file.text, re.MULTILINE), file.name


def test_each_file_grants_privileges_on_its_own_objects_only() -> None:
    stated = 0
    for file in load_object_files():
        for objects in RIGHTS.findall(file.text):
            named = {name.decode() for name in re.findall(rb"(\w+)(?:\([^)]*\))?(?:, |$)", objects)}
            assert named <= set(file.names), file.name
            stated += 1
    assert stated > 60


def test_files_that_lock_tables_are_applied_last() -> None:
    locking = [file.locks_table for file in load_object_files()]
    assert locking == sorted(locking)
    assert locking.count(True) > 1


def test_records_of_deleted_files_are_removed(database: Database, build: Callable[..., None]) -> None:
    with database.connect() as conn:
        build(objects=[*load_object_files(), ObjectFile("gone.sql", b"SELECT 1")])
        migrate(conn)
        build(objects=edit_file("text_size.sql", b"coalesce(sum(t.chunks), 0)", b"coalesce(sum(t.chunks), 7)"))
        migrate(conn)
        names = {row["name"] for row in conn.execute("SELECT name FROM schema_objects")}
        assert names == {file.name for file in load_object_files()}


@pytest.mark.parametrize(("applied", "ours"), [("0.2.0rc1", "0.2.0"), ("0.2.0.dev4", "0.2.0"), ("0.2.0", "0.2.0+7")])
def test_a_pre_release_is_not_newer_than_its_release(
    database: Database, build: Callable[..., None], applied: str, ours: str
) -> None:
    with database.connect() as conn:
        build(objects=[*load_object_files(), ObjectFile("one.sql", b"SELECT 1")], release=applied)
        assert migrate(conn)
        build(release=ours)
        require_schema(conn)


@pytest.fixture
def short_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short lock timeouts and pauses."""
    monkeypatch.setattr(lock_retries, "_TABLE_TIMEOUT", "50ms")
    monkeypatch.setattr(lock_retries, "_PAUSE_SECONDS", 0.05)


LOCK = [Migration(load_migrations()[-1].version + 1, "lock", b"ALTER TABLE documents ADD COLUMN berth text")]


@pytest.mark.usefixtures("short_timeouts")
def test_a_migration_waits_for_a_lock_without_blocking_others(database: Database, build: Callable[..., None]) -> None:
    build([*load_migrations(), *LOCK])
    done: list[Upgrade] = []

    def upgrade() -> None:
        with database.connect() as conn:
            done.append(migrate(conn))

    with database.connect() as other, database.connect() as reader:
        with other.transaction():
            other.execute("LOCK TABLE documents IN ROW EXCLUSIVE MODE")
            upgrading = Thread(target=upgrade)
            upgrading.start()
            reader.execute("SET lock_timeout = '20s'")
            for _ in range(20):  # each query waits for at most one attempt
                reader.execute("SELECT count(*) FROM documents")
            assert done == []
        upgrading.join(60)
    assert [migration.name for upgrade in done for migration in upgrade.migrations] == ["lock"]


@pytest.mark.usefixtures("short_timeouts")
def test_a_permanent_lock_is_reported_and_nothing_is_changed(
    database: Database, build: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock_retries, "_MAX_ATTEMPTS", 2)
    build([*load_migrations(), *LOCK])
    with database.connect() as other, database.connect() as conn:
        before = read_catalog(conn)
        with other.transaction():
            other.execute("LOCK TABLE documents IN ROW EXCLUSIVE MODE")
            with pytest.raises(MigrationFailed, match="could not lock a table in 2 attempts and was rolled back"):
                migrate(conn)
        assert read_catalog(conn) == before


HELD = "EXISTS (SELECT FROM pg_locks WHERE relation = '{}'::regclass AND mode = 'AccessExclusiveLock' AND {})"


def wait_until(condition: str) -> str:
    return f"DO $$ BEGIN LOOP EXIT WHEN {condition}; PERFORM pg_sleep(0.01); END LOOP; END $$"


# A migration that locks `documents`, waits until another transaction waits for this table or has ended, then
# locks `chunks`, which the other transaction locked first. The sequence counts all attempts, including those
# rolled back.
CROSSING = f"""
SELECT nextval('tries');
LOCK TABLE documents;
{wait_until(HELD.format("documents", "NOT granted") + " OR NOT " + HELD.format("chunks", "granted"))};
LOCK TABLE chunks"""


def test_a_migration_cancelled_by_a_deadlock_is_retried(
    database: Database, build: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    build([*load_migrations(), Migration(load_migrations()[-1].version + 1, "crossing", CROSSING.encode())])
    monkeypatch.setattr(lock_retries, "_TABLE_TIMEOUT", "60s")  # so that only a deadlock can end an attempt
    monkeypatch.setattr(lock_retries, "_PAUSE_SECONDS", 0.05)
    holding = Event()

    def cross() -> None:
        with database.connect() as other, other.transaction():
            other.execute("SET LOCAL deadlock_timeout = '10min'")  # so that only the migration is cancelled
            other.execute("LOCK TABLE chunks")
            holding.set()
            other.execute(wait_until(HELD.format("documents", "granted")).encode())
            other.execute("LOCK TABLE documents")

    crossing = Thread(target=cross)
    with database.connect() as conn:
        conn.execute("CREATE SEQUENCE tries")
        conn.execute("SET deadlock_timeout = '10ms'")
        crossing.start()
        assert holding.wait(30)
        assert [migration.name for migration in migrate(conn).migrations] == ["crossing"]
        crossing.join(30)
        assert conn.execute("SELECT last_value FROM tries").fetchone() == {"last_value": 2}
