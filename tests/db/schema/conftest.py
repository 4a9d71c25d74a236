"""Fixtures of the schema tests: an empty database, a migrated one, and simulated builds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from docyard.db import Connection, Database
from docyard.db.embedded import EmbeddedServer
from docyard.db.objects import ObjectFile, load_object_files
from docyard.db.schema import Migration, load_migrations


@pytest.fixture
def empty(server: EmbeddedServer) -> Iterator[Database]:
    """A database without any schema."""
    name = sql.Identifier(f"e_{uuid4().hex[:12]}")
    with psycopg.connect(server.conninfo(), autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(name))
        database = Database(lambda: make_conninfo(server.conninfo(), dbname=name.as_string(None).strip('"')))
        yield database
        database.close()
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


@pytest.fixture(scope="module")
def migrated(server: EmbeddedServer, template: str) -> Iterator[Connection]:
    """A migrated database shared by tests that roll back their changes."""
    name = f"m_{uuid4().hex[:12]}"
    with psycopg.connect(server.conninfo(), autocommit=True) as admin:
        identifiers = sql.Identifier(name), sql.Identifier(template)
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*identifiers))
        database = Database(lambda: make_conninfo(server.conninfo(), dbname=name))
        with database.connect() as conn:
            yield conn
        database.close()
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """A function that replaces the migrations, object files and release of this build."""

    def change(
        known: Sequence[Migration] | None = None, objects: Sequence[ObjectFile] | None = None, release: str = "0.1.0"
    ) -> None:
        schema = sys.modules["docyard.db.schema"]
        monkeypatch.setattr(schema, "load_migrations", lambda: load_migrations() if known is None else known)
        files = load_object_files() if objects is None else objects
        for module in (sys.modules["docyard.db.migrate"], schema):
            monkeypatch.setattr(module, "load_object_files", lambda: files)
            monkeypatch.setattr(module, "__version__", release)

    return change
