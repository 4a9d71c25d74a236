"""The schema of this build, and the part of it that a database lacks."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from docyard import __version__
from docyard.db.connections import Connection
from docyard.db.objects import ObjectFile, load_object_files
from docyard.db.queries import Queries
from docyard.errors import MigrationFailed, SchemaMissing, SchemaOutdated, SchemaTooNew, SetupError

_SQL = Queries("docyard.db", "schema.sql")
MIN_SERVER_VERSION = 150000
_LEDGERS = {"schema_migrations", "schema_objects"}
_FILE = re.compile(r"^(\d{4})_(\w+)\.sql$")
_RELEASE = re.compile(r"\d+(?:\.\d+)*")
_EARLIER_BUILD = (
    "This database was created by an early build of Docyard and cannot be upgraded."
    " Use a new database, or another DOCYARD_HOME, and add the documents again."
)


@dataclass(frozen=True, slots=True)
class Migration:
    """A numbered migration file."""

    version: int
    name: str
    text: bytes

    @property
    def checksum(self) -> str:
        """The SHA-256 of the text, to detect that the file was edited after it was applied."""
        return hashlib.sha256(self.text).hexdigest()


@dataclass(frozen=True, slots=True)
class Upgrade:
    """Migrations and object files that a database lacks, or that were applied to it."""

    migrations: tuple[Migration, ...] = ()
    objects: tuple[ObjectFile, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.migrations or self.objects)


@cache
def load_migrations() -> Sequence[Migration]:
    """Return all migrations of this build, in order."""
    entries = files("docyard.db").joinpath("migrations").iterdir()
    matches = ((_FILE.match(entry.name), entry) for entry in entries)
    found = (Migration(int(match[1]), match[2], entry.read_bytes()) for match, entry in matches if match)
    return tuple(sorted(found, key=lambda migration: migration.version))


def require_schema(conn: Connection) -> None:
    """Raise a SetupError if the server is too old or the schema is not that of this build."""
    require_server(conn)
    missing = find_pending(conn)
    if missing.migrations and missing.migrations[0].version == load_migrations()[0].version:
        raise SchemaMissing
    if missing:
        raise SchemaOutdated


def require_server(conn: Connection) -> None:
    """Raise a SetupError if the server is older than PostgreSQL 15."""
    if conn.info.server_version < MIN_SERVER_VERSION:
        raise SetupError(
            f"PostgreSQL {conn.info.server_version // 10000} is too old. Docyard needs version 15 or later."
        )


def find_pending(conn: Connection) -> Upgrade:
    """Return what the database lacks; raise a SetupError if a newer or incompatible build migrated it."""
    known, objects = load_migrations(), load_object_files()
    ledgers = _find_ledgers(conn)
    if ledgers == {"schema_migrations"}:
        raise MigrationFailed(_EARLIER_BUILD)
    if ledgers != _LEDGERS:
        return Upgrade(tuple(known), tuple(objects))
    missing = _find_missing_migrations(conn, known)
    rows = conn.execute(_SQL["applied_objects"]).fetchall()
    _reject_newer(row["build"] for row in rows)
    applied = {row["name"]: row["checksum"] for row in rows}
    # A migration may drop objects that depend on the tables it changes, so every file is applied again.
    changed = (each for each in objects if missing or applied.get(each.name) != each.checksum)
    return Upgrade(tuple(missing), tuple(changed))


def schema_version(conn: Connection) -> int:
    """Return the number of the newest applied migration, or 0 if there is none."""
    if "schema_migrations" not in _find_ledgers(conn):
        return 0
    row = conn.execute(_SQL["newest_version"]).fetchone()
    return int(row["version"]) if row else 0


def may_read_ledgers(conn: Connection) -> bool:
    """Return whether the current role may read the ledgers that exist."""
    return conn.execute(_SQL["may_read_ledgers"]).fetchone() == {"granted": True}


def has_ledgers(conn: Connection) -> bool:
    """Return whether the ledgers exist."""
    return _find_ledgers(conn) == _LEDGERS


def _find_ledgers(conn: Connection) -> set[str]:
    return {row["relname"] for row in conn.execute(_SQL["ledgers"], {"names": list(_LEDGERS)})}


def _find_missing_migrations(conn: Connection, known: Sequence[Migration]) -> list[Migration]:
    applied = {row["version"]: row["checksum"] for row in conn.execute(_SQL["applied_migrations"])}
    for migration in known:
        if applied.get(migration.version, migration.checksum) != migration.checksum:
            raise MigrationFailed(
                f"Migration {migration.version:04} was changed after it was applied: another build of Docyard"
                " created this database. Use that build, a new database, or another DOCYARD_HOME."
            )
    newest = max(applied, default=0)
    if newest > known[-1].version:
        raise SchemaTooNew(
            f"The database has schema version {newest}, but this build of Docyard supports only version"
            f" {known[-1].version}. Upgrade Docyard."
        )
    return [migration for migration in known if migration.version not in applied]


def _reject_newer(builds: Iterable[str]) -> None:
    """Raise SchemaTooNew if a newer release applied an object file; object files have no version numbers."""
    newest = max(map(_parse_release, builds), default=())
    if newest > _parse_release(__version__):
        release = ".".join(map(str, newest))
        raise SchemaTooNew(
            f"The database was migrated by Docyard {release}, but this is Docyard {__version__}. Upgrade Docyard."
        )


def _parse_release(build: str) -> tuple[int, ...]:
    """Return the numbers of a release, such as (1, 2, 0); the suffix of a pre-release is ignored."""
    match = _RELEASE.match(build)
    return tuple(int(part) for part in match[0].split(".")) if match else ()
