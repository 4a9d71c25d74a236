"""The way to the schema of this build: migrations first, then the files of objects, all in one transaction.

Only `docyard up` and `docyard migrate` change a schema; every other command checks that it is current.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg

from docyard import __version__
from docyard.db.connect import Connection
from docyard.db.objects import ObjectFile, object_files
from docyard.db.patience import IN_THE_WAY, patiently, set_locally, wait_briefly
from docyard.db.queries import Queries
from docyard.db.schema import Migration, Upgrade, has_ledgers, pending, require_server
from docyard.errors import MigrationFailed

_SQL = Queries("docyard.db", "migrate.sql")
_LOCK = 0x646F6379  # any fixed number: whoever holds it migrates, the others wait and find it done
_TURN_TIMEOUT = "60s"


def migrate(conn: Connection) -> Upgrade:
    """Bring the schema up to date and say what was applied; `conn` must be in autocommit."""
    require_server(conn)
    return patiently(conn, "The upgrade of the schema", _migrate)


def _migrate(conn: Connection) -> Upgrade:
    if not pending(conn):
        return Upgrade()  # without the lock: a frozen process that holds it must not stop anybody
    with conn.transaction():
        _take_turn(conn)
        wait_briefly(conn)
        _open_ledgers(conn)
        missing = pending(conn)
        for migration in missing.migrations:
            _apply_migration(conn, migration)
        _apply_objects(conn, missing.objects)
    return missing


def _take_turn(conn: Connection) -> None:
    """Only one process migrates; the lock ends with the transaction, however that ends."""
    set_locally(conn, "lock_timeout", _TURN_TIMEOUT)
    try:
        with conn.transaction():
            conn.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
    except psycopg.errors.LockNotAvailable as error:
        raise MigrationFailed(f"{_holder(conn)} has been migrating for over {_TURN_TIMEOUT}.") from error


def _holder(conn: Connection) -> str:
    row = conn.execute(_SQL["migrator"], {"lock": _LOCK}).fetchone()
    if row is None:
        return "Another process"
    where = f" from {row['client_addr']}" if row["client_addr"] else ""
    return f"Server process {row['pid']} ({row['application_name']}{where})"


def _open_ledgers(conn: Connection) -> None:
    if has_ledgers(conn):
        return
    with _in_words("The first migration"):
        conn.execute(_SQL["open_migrations"])
        conn.execute(_SQL["open_objects"])


def _apply_migration(conn: Connection, migration: Migration) -> None:
    with _in_words(f"Migration {migration.version:04}_{migration.name}"):
        conn.execute(migration.text)
    given = {"version": migration.version, "name": migration.name, "checksum": migration.checksum}
    conn.execute(_SQL["save_migration"], given)


def _apply_objects(conn: Connection, objects: Sequence[ObjectFile]) -> None:
    # A function may call one that is created after it; others are ordered by what they require.
    set_locally(conn, "check_function_bodies", "off")
    _reset_rights(conn, [name for each in objects for name in each.names])
    for each in objects:
        with _in_words(each.name):
            conn.execute(each.text)
        given = {"name": each.name, "checksum": each.checksum, "build": __version__}
        conn.execute(_SQL["save_object"], given)
    conn.execute(_SQL["forget_objects"], {"names": [each.name for each in object_files()]})


def _reset_rights(conn: Connection, names: Sequence[str]) -> None:
    """Give objects the rights of new ones, because each file states its rights from there."""
    with _in_words("Resetting rights"):
        for row in conn.execute(_SQL["reset_rights"], {"names": names}).fetchall():
            conn.execute(row["statement"].encode())


@contextmanager
def _in_words(what: str) -> Iterator[None]:
    try:
        yield
    except IN_THE_WAY:
        raise  # another try may get the lock
    except psycopg.errors.InsufficientPrivilege as error:
        raise MigrationFailed(f"{what} needs more rights: {error}") from error
    except psycopg.Error as error:
        raise MigrationFailed(f"{what} failed: {error}") from error
