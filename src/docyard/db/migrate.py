"""The schema: numbered migrations make tables, then the files of objects are applied, all in one transaction.

Only `docyard up` and `docyard migrate` change a schema; every other command checks that it is current.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files

import psycopg

from docyard import __version__
from docyard.db.connect import Connection
from docyard.db.objects import ObjectFile, object_files
from docyard.db.queries import Queries
from docyard.errors import MigrationFailed, SchemaMissing, SchemaOutdated, SchemaTooNew, Setup

_SQL = Queries("docyard.db", "migrate.sql")
OLDEST_SERVER = 150000
_LOCK = 0x646F6379  # any fixed number: whoever holds it migrates, the others wait and find it done
_LOCK_TIMEOUT = "60s"
_FILE = re.compile(r"^(\d{4})_(\w+)\.sql$")


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file."""

    version: int
    name: str
    text: bytes

    @property
    def checksum(self) -> str:
        """Tells whether the file was edited after it was applied."""
        return hashlib.sha256(self.text).hexdigest()


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What a database lacks of the schema of this build, or what was applied to it."""

    migrations: tuple[Migration, ...] = ()
    objects: tuple[ObjectFile, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.migrations or self.objects)


def migrations() -> list[Migration]:
    """Every migration of this build, in order."""
    entries = files("docyard.db").joinpath("migrations").iterdir()
    found = ((_FILE.match(entry.name), entry) for entry in entries)
    return sorted(
        (Migration(int(match[1]), match[2], entry.read_bytes()) for match, entry in found if match),
        key=lambda migration: migration.version,
    )


def migrate(conn: Connection) -> Upgrade:
    """Bring the schema up to date and say what was applied; `conn` must be in autocommit."""
    _require_server(conn)
    if not pending(conn):
        return Upgrade()  # without the lock: a frozen process that holds it must not stop anybody
    with conn.transaction(), _locked(conn):
        _open_ledgers(conn)
        missing = pending(conn)
        for migration in missing.migrations:
            _apply_migration(conn, migration)
        _apply_objects(conn, missing.objects)
    return missing


def require_schema(conn: Connection) -> None:
    """Refuse to work on a database whose schema is not that of this build, and say what to do."""
    _require_server(conn)
    missing = pending(conn)
    if missing.migrations and missing.migrations[0].version == migrations()[0].version:
        raise SchemaMissing
    if missing:
        raise SchemaOutdated


def pending(conn: Connection) -> Upgrade:
    """What the database lacks; a Setup error when it was made by a newer or an unrelated build."""
    known, objects = migrations(), object_files()
    if not _has_ledgers(conn):
        if _has_table(conn, "schema_migrations"):
            raise MigrationFailed(_EARLIER_BUILD)
        return Upgrade(tuple(known), tuple(objects))
    missing = _missing_migrations(conn, known)
    rows = conn.execute(_SQL["applied_objects"]).fetchall()
    _refuse_newer(max((_release(row["build"]) for row in rows), default=()))
    applied = {row["name"]: row["checksum"] for row in rows}
    # A migration may drop an object that it is in the way of, so all are applied again.
    changed = (each for each in objects if missing or applied.get(each.name) != each.checksum)
    return Upgrade(tuple(missing), tuple(changed))


def schema_version(conn: Connection) -> int:
    """The newest migration the database has, 0 when it has none."""
    if not _has_table(conn, "schema_migrations"):
        return 0
    row = conn.execute(_SQL["newest_version"]).fetchone()
    return int(row["version"]) if row else 0


def may_read_ledgers(conn: Connection) -> bool:
    """Whether this role may see what was applied; the web's role may not where the owner revoked it."""
    return conn.execute(_SQL["may_read_ledgers"]).fetchone() == {"granted": True}


_EARLIER_BUILD = (
    "This database was created by an early build of Docyard and cannot be upgraded."
    " Use a new database, or another DOCYARD_HOME, and add the documents again."
)


def _missing_migrations(conn: Connection, known: Sequence[Migration]) -> list[Migration]:
    applied = {row["version"]: row["checksum"] for row in conn.execute(_SQL["applied_migrations"])}
    for migration in known:
        if applied.get(migration.version, migration.checksum) != migration.checksum:
            raise MigrationFailed(
                f"Migration {migration.version:04} was changed after it was applied here: this database"
                " was made by another build of Docyard. Use that build, or another DOCYARD_HOME."
            )
    newest = max(applied, default=0)
    if newest > known[-1].version:
        raise SchemaTooNew(
            f"The database has schema version {newest}; this program knows {known[-1].version}."
            " Upgrade Docyard."
        )
    return [migration for migration in known if migration.version not in applied]


def _release(build: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", build))


def _refuse_newer(release: tuple[int, ...]) -> None:
    """Functions have no numbers; the release that applied them tells which of two builds is newer."""
    if release > _release(__version__):
        shown = ".".join(map(str, release))
        raise SchemaTooNew(
            f"The database was migrated by Docyard {shown}; this is {__version__}. Upgrade it."
        )


@contextmanager
def _locked(conn: Connection) -> Iterator[None]:
    """Only one process migrates; the lock ends with the transaction, however that ends."""
    conn.execute("SELECT set_config('lock_timeout', %s, true)", (_LOCK_TIMEOUT,))
    try:
        with conn.transaction():
            conn.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
    except psycopg.errors.LockNotAvailable as error:
        raise MigrationFailed(f"{_holder(conn)} has been migrating for over {_LOCK_TIMEOUT}.") from error
    yield


def _holder(conn: Connection) -> str:
    row = conn.execute(_SQL["migrator"], {"lock": _LOCK}).fetchone()
    if row is None:
        return "Another process"
    where = f" from {row['client_addr']}" if row["client_addr"] else ""
    return f"Server process {row['pid']} ({row['application_name']}{where})"


def _has_table(conn: Connection, name: str) -> bool:
    return conn.execute("SELECT to_regclass(%s) AS t", (name,)).fetchone() != {"t": None}


def _has_ledgers(conn: Connection) -> bool:
    return _has_table(conn, "schema_migrations") and _has_table(conn, "schema_objects")


def _open_ledgers(conn: Connection) -> None:
    if _has_ledgers(conn):
        return
    try:
        conn.execute(_SQL["open_migrations"])
        conn.execute(_SQL["open_objects"])
    except psycopg.errors.InsufficientPrivilege as error:
        raise MigrationFailed(f"The first migration needs more rights: {error}") from error


def _apply_migration(conn: Connection, migration: Migration) -> None:
    with _in_words(f"Migration {migration.version:04}_{migration.name}"):
        conn.execute(migration.text)
    given = {"version": migration.version, "name": migration.name, "checksum": migration.checksum}
    conn.execute(_SQL["save_migration"], given)


def _apply_objects(conn: Connection, objects: Sequence[ObjectFile]) -> None:
    # A function may call one that is created after it; views are ordered by what they require.
    conn.execute("SELECT set_config('check_function_bodies', 'off', true)")
    for each in objects:
        with _in_words(each.name):
            conn.execute(each.text)
        given = {"name": each.name, "checksum": each.checksum, "build": __version__}
        conn.execute(_SQL["save_object"], given)


@contextmanager
def _in_words(what: str) -> Iterator[None]:
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise MigrationFailed(f"{what} needs more rights: {error}") from error
    except psycopg.Error as error:
        raise MigrationFailed(f"{what} failed: {error}") from error


def _require_server(conn: Connection) -> None:
    if conn.info.server_version < OLDEST_SERVER:
        raise Setup(f"PostgreSQL {conn.info.server_version // 10000} is too old; Docyard needs 15 or later.")
