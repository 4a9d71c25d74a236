"""Forward-only numbered migrations, safe when several programs start at once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files

import psycopg

from docyard.db.connect import Connection
from docyard.errors import MigrationFailed, SchemaTooNew, Setup

_LOCK = 0x646F6379  # any fixed number: whoever holds it migrates, the others wait and find it done
OLDEST_SERVER = 150000
_FILE = re.compile(r"^(\d{4})_(\w+)\.sql$")


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file."""

    version: int
    name: str
    text: bytes

    @property
    def checksum(self) -> str:
        """What was applied can be told from what was edited later."""
        return hashlib.sha256(self.text).hexdigest()


def migrations() -> list[Migration]:
    """Every migration of this program, in order."""
    found = (
        (_FILE.match(entry.name), entry) for entry in files("docyard.db").joinpath("migrations").iterdir()
    )
    return sorted(
        (Migration(int(match[1]), match[2], entry.read_bytes()) for match, entry in found if match),
        key=lambda migration: migration.version,
    )


def migrate(conn: Connection) -> list[int]:
    """Bring the schema up to date and say which versions were applied; `conn` must be in autocommit."""
    _require_server(conn)
    with _locked(conn):
        _open_ledger(conn)
        missing = _missing(conn, migrations())
        for migration in missing:
            _apply(conn, migration)
    return [migration.version for migration in missing]


def schema_version(conn: Connection) -> int:
    """The newest migration the database has, 0 when it has none."""
    if conn.execute("SELECT to_regclass('schema_migrations') AS t").fetchone() == {"t": None}:
        return 0
    row = conn.execute("SELECT coalesce(max(version), 0) AS v FROM schema_migrations").fetchone()
    return int(row["v"]) if row else 0


def newest_version() -> int:
    """The schema this program was written for."""
    return migrations()[-1].version


@contextmanager
def _locked(conn: Connection) -> Iterator[None]:
    conn.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
    try:
        yield
    finally:
        conn.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))


def _open_ledger(conn: Connection) -> None:
    if conn.execute("SELECT to_regclass('schema_migrations') AS t").fetchone() != {"t": None}:
        return  # whoever may only look is not asked for the right to create
    try:
        conn.execute(
            "CREATE TABLE schema_migrations (version integer PRIMARY KEY, name text NOT NULL,"
            " checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())"
        )
    except psycopg.errors.InsufficientPrivilege as error:
        raise MigrationFailed(f"The first migration needs more rights: {error}") from error


def _missing(conn: Connection, known: list[Migration]) -> list[Migration]:
    applied = {row["version"]: row["checksum"] for row in conn.execute("SELECT * FROM schema_migrations")}
    newer = max(applied, default=0)
    if newer > known[-1].version:
        raise SchemaTooNew(
            f"The database has schema version {newer}; this program knows {known[-1].version}."
            " Upgrade Docyard."
        )
    for migration in known:
        if applied.get(migration.version, migration.checksum) != migration.checksum:
            raise MigrationFailed(
                f"Migration {migration.version:04} was changed after it was applied here: this database"
                " was made by another build of Docyard. Use that build, or another DOCYARD_HOME."
            )
    return [migration for migration in known if migration.version not in applied]


def _apply(conn: Connection, migration: Migration) -> None:
    try:
        with conn.transaction():
            conn.execute(migration.text)
            conn.execute(
                "INSERT INTO schema_migrations (version, name, checksum) VALUES (%s, %s, %s)",
                (migration.version, migration.name, migration.checksum),
            )
    except psycopg.errors.InsufficientPrivilege as error:
        raise MigrationFailed(f"Migration {migration.version:04} needs more rights: {error}") from error
    except psycopg.Error as error:
        raise MigrationFailed(f"Migration {migration.version:04}_{migration.name} failed: {error}") from error


def _require_server(conn: Connection) -> None:
    if conn.info.server_version < OLDEST_SERVER:
        raise Setup(f"PostgreSQL {conn.info.server_version // 10000} is too old; Docyard needs 15 or later.")
