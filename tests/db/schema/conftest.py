"""Databases to migrate, and one migrated database in which every refusal is tried and rolled back."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from docyard.db import Connection, Database
from docyard.db.embedded import EmbeddedServer


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
    """A clone shared by many tests that roll back what they do."""
    name = f"m_{uuid4().hex[:12]}"
    with psycopg.connect(server.conninfo(), autocommit=True) as admin:
        identifiers = sql.Identifier(name), sql.Identifier(template)
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*identifiers))
        database = Database(lambda: make_conninfo(server.conninfo(), dbname=name))
        with database.connect() as conn:
            yield conn
        database.close()
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
