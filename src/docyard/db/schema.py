"""The schema that this build needs, and what a database lacks of it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from docyard import __version__
from docyard.db.connect import Connection
from docyard.db.objects import ObjectFile, object_files
from docyard.db.queries import Queries
from docyard.errors import MigrationFailed, SchemaMissing, SchemaOutdated, SchemaTooNew, Setup

_SQL = Queries("docyard.db", "schema.sql")
OLDEST_SERVER = 150000
_LEDGERS = {"schema_migrations", "schema_objects"}
_FILE = re.compile(r"^(\d{4})_(\w+)\.sql$")
_RELEASE = re.compile(r"\d+(?:\.\d+)*")
_EARLIER_BUILD = (
    "This database was created by an early build of Docyard and cannot be upgraded."
    " Use a new database, or another DOCYARD_HOME, and add the documents again."
)


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


@cache
def migrations() -> Sequence[Migration]:
    """Every migration of this build, in order."""
    entries = files("docyard.db").joinpath("migrations").iterdir()
    found = ((_FILE.match(entry.name), entry) for entry in entries)
    made = (Migration(int(match[1]), match[2], entry.read_bytes()) for match, entry in found if match)
    return tuple(sorted(made, key=lambda migration: migration.version))


def require_schema(conn: Connection) -> None:
    """Refuse to work on a database whose schema is not that of this build, and say what to do."""
    require_server(conn)
    missing = pending(conn)
    if missing.migrations and missing.migrations[0].version == migrations()[0].version:
        raise SchemaMissing
    if missing:
        raise SchemaOutdated


def require_server(conn: Connection) -> None:
    """Refuse a server that lacks what the schema is built on."""
    if conn.info.server_version < OLDEST_SERVER:
        raise Setup(f"PostgreSQL {conn.info.server_version // 10000} is too old; Docyard needs 15 or later.")


def pending(conn: Connection) -> Upgrade:
    """What the database lacks; a Setup error when it was made by a newer or an unrelated build."""
    known, objects = migrations(), object_files()
    there = _ledgers(conn)
    if there == {"schema_migrations"}:
        raise MigrationFailed(_EARLIER_BUILD)
    if there != _LEDGERS:
        return Upgrade(tuple(known), tuple(objects))
    missing = _missing_migrations(conn, known)
    rows = conn.execute(_SQL["applied_objects"]).fetchall()
    _refuse_newer(row["build"] for row in rows)
    applied = {row["name"]: row["checksum"] for row in rows}
    # A migration may drop an object that it is in the way of, so all are applied again.
    changed = (each for each in objects if missing or applied.get(each.name) != each.checksum)
    return Upgrade(tuple(missing), tuple(changed))


def schema_version(conn: Connection) -> int:
    """The newest migration the database has, 0 when it has none."""
    if "schema_migrations" not in _ledgers(conn):
        return 0
    row = conn.execute(_SQL["newest_version"]).fetchone()
    return int(row["version"]) if row else 0


def may_read_ledgers(conn: Connection) -> bool:
    """Whether this role may see what was applied; the web's role may not where the owner revoked it."""
    return conn.execute(_SQL["may_read_ledgers"]).fetchone() == {"granted": True}


def has_ledgers(conn: Connection) -> bool:
    """Whether the tables that record what was applied are there."""
    return _ledgers(conn) == _LEDGERS


def _ledgers(conn: Connection) -> set[str]:
    return {row["relname"] for row in conn.execute(_SQL["ledgers"], {"names": list(_LEDGERS)})}


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


def _refuse_newer(builds: Iterable[str]) -> None:
    """Functions have no numbers; the release that applied them tells which of two builds is newer."""
    newest = max(map(_release, builds), default=())
    if newest > _release(__version__):
        shown = ".".join(map(str, newest))
        raise SchemaTooNew(
            f"The database was migrated by Docyard {shown}; this is {__version__}. Upgrade it."
        )


def _release(build: str) -> tuple[int, ...]:
    """The numbers of a release; its pre-releases count as the same."""
    found = _RELEASE.match(build)
    return tuple(int(part) for part in found[0].split(".")) if found else ()
