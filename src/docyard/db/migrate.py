"""Upgrade of a database to the schema of this build: migrations, then object files, in one transaction.

Only `docyard up` and `docyard migrate` change the schema. All other commands check that it is current.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg

from docyard import __version__
from docyard.db.bounded_connection import BoundedConnection
from docyard.db.connections import Connection
from docyard.db.database_errors import describe, is_connection_lost
from docyard.db.lock_retries import LOCK_ERRORS, retry_locked, set_parameter, set_short_lock_timeout
from docyard.db.objects import ObjectFile, load_object_files
from docyard.db.queries import Queries
from docyard.db.schema import Migration, Upgrade, find_pending, has_ledgers, require_server
from docyard.errors import MigrationFailed

_SQL = Queries("docyard.db", "migrate.sql")
_LOCK = 0x646F6379  # key of the advisory lock that a migrating process holds; an arbitrary number
_TURN_SECONDS = 60.0
_LONGEST_STATEMENT = 3600.0  # seconds; an index on a large table takes long
_ANSWER_SECONDS = 5.0  # how much longer the client waits than the server


def migrate(conn: BoundedConnection) -> Upgrade:
    """Upgrade the schema and return what was applied; `conn` must be in autocommit mode."""
    require_server(conn)
    return retry_locked(conn, "The schema upgrade", _migrate)


def _migrate(conn: BoundedConnection) -> Upgrade:
    if not find_pending(conn):
        return Upgrade()  # checked without the lock, which a suspended process may hold
    with conn.limit_wait(conn.longest_wait), conn.transaction():  # restored after COMMIT
        set_parameter(conn, "statement_timeout", f"{_LONGEST_STATEMENT}s")
        _take_turn(conn)
        set_short_lock_timeout(conn)
        _create_ledgers(conn)
        missing = find_pending(conn)
        # All waits until here are short, so that a silent connection is noticed before the long statements begin.
        conn.longest_wait = _LONGEST_STATEMENT + _ANSWER_SECONDS
        for migration in missing.migrations:
            _apply_migration(conn, migration)
        _apply_objects(conn, missing.objects)
    return missing


def _take_turn(conn: BoundedConnection) -> None:
    """Take the migration lock for this transaction; raise MigrationFailed after `_TURN_SECONDS`."""
    set_parameter(conn, "lock_timeout", f"{_TURN_SECONDS}s")
    try:
        with conn.limit_wait(_TURN_SECONDS + _ANSWER_SECONDS), conn.transaction():
            conn.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
    except psycopg.errors.LockNotAvailable as error:
        raise MigrationFailed(
            f"{_describe_holder(conn)} is migrating this database. Wait until it ends, or end it, then try again."
        ) from error


def _describe_holder(conn: Connection) -> str:
    row = conn.execute(_SQL["migrator"], {"lock": _LOCK}).fetchone()
    if row is None:
        return "Another process"
    client = f" from {row['client_addr']}" if row["client_addr"] else ""
    who = f"{row['application_name']} of {row['usename']}{client}, for {row['age']:.0f} s"
    return f"Server process {row['pid']} ({who})"


def _create_ledgers(conn: Connection) -> None:
    if has_ledgers(conn):
        return
    with _explain_errors("Creating the schema"):
        conn.execute(_SQL["open_migrations"])
        conn.execute(_SQL["open_objects"])


def _apply_migration(conn: Connection, migration: Migration) -> None:
    with _explain_errors(f"Migration {migration.version:04}_{migration.name}"):
        conn.execute(migration.text)
    params = {"version": migration.version, "name": migration.name, "checksum": migration.checksum}
    conn.execute(_SQL["save_migration"], params)


def _apply_objects(conn: Connection, objects: Sequence[ObjectFile]) -> None:
    # Off, because a function may call another that is created later. Objects that need others to exist when
    # they are created, such as views, are ordered by `-- requires:`.
    set_parameter(conn, "check_function_bodies", "off")
    _reset_rights(conn, [name for each in objects for name in each.names])
    for each in objects:
        with _explain_errors(f"Applying {each.name}"):
            conn.execute(each.text)
        params = {"name": each.name, "checksum": each.checksum, "build": __version__}
        conn.execute(_SQL["save_object"], params)
    conn.execute(_SQL["forget_objects"], {"names": [each.name for each in load_object_files()]})


def _reset_rights(conn: Connection, names: Sequence[str]) -> None:
    """Reset the privileges of PUBLIC and Docyard's roles on existing functions and views to the defaults.

    The object files then grant the privileges that they need.
    """
    with _explain_errors("Resetting privileges"):
        for row in conn.execute(_SQL["reset_rights"], {"names": names}).fetchall():
            conn.execute(row["statement"].encode())


@contextmanager
def _explain_errors(step: str) -> Iterator[None]:
    try:
        yield
    except LOCK_ERRORS:
        raise  # handled by `retry_locked`
    except psycopg.errors.InsufficientPrivilege as error:
        raise MigrationFailed(
            f"{step} needs a role with more privileges, such as the owner of the database: {describe(error)}"
        ) from error
    except psycopg.Error as error:
        if is_connection_lost(error):
            raise
        raise MigrationFailed(f"{step} failed: {error}") from error
