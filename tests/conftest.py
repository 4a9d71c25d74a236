"""Fixtures for all tests: an embedded PostgreSQL per test process, and a new database per test."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from docyard.db import Connection, Database
from docyard.db.connections import WEB_ROLE
from docyard.db.embedded import EmbeddedServer
from docyard.db.embedded.guardian import BASE_VARIABLE
from docyard.model.limits import Limits
from docyard.pipeline.children import ChildPool
from docyard.pipeline.pools import install
from docyard.pipeline.run import Pipeline
from docyard.store.blobs import FolderBlobs
from docyard.store.users import get_or_create_workspace

# Files that a server must keep outside its home are deleted at the end of the test run.
_OUTSIDE = tempfile.TemporaryDirectory(prefix="docyard-outside-", ignore_cleanup_errors=True)
os.environ[BASE_VARIABLE] = _OUTSIDE.name
Path(_OUTSIDE.name).chmod(0o755)  # it contains no secrets
WEB_PASSWORD = "only-for-tests"
_MIN_FREE_MEMORY = 3 * 1024**3  # bytes, mainly for the write-ahead log


class Server(Protocol):
    """A PostgreSQL server for test databases."""

    def conninfo(self) -> str:
        """Return the connection string of its superuser."""


@dataclass(frozen=True)
class ExternalServer:
    """A server that was not started by the tests, such as one of another version."""

    address: str

    def conninfo(self) -> str:
        """Return the configured connection string."""
        return self.address


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """An embedded PostgreSQL for this test process, or the server specified by DOCYARD_TEST_SERVER."""
    if outside := os.environ.get("DOCYARD_TEST_SERVER"):
        yield ExternalServer(outside)
        return
    with open_folder(find_memory_folder()) as home, EmbeddedServer.attach(home) as attached:
        yield attached


def find_memory_folder() -> Path | None:
    """Return a folder in memory, where cloning takes a tenth of the time; None if it has too little space."""
    memory = Path("/dev/shm")
    return memory if memory.is_dir() and shutil.disk_usage(memory).free > _MIN_FREE_MEMORY else None


@contextmanager
def open_folder(base: Path | None = None) -> Iterator[Path]:
    """Yield a path for a home that other accounts can reach, as root's server runs as another account."""
    with tempfile.TemporaryDirectory(prefix="docyard-tests-", dir=base, ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # it contains no secrets
        yield Path(folder) / "home"


@pytest.fixture(scope="session")
def template(server: Server) -> str:
    """The name of an installed database that is cloned for each test."""
    return create_template(server)


def create_template(server: Server) -> str:
    """Install a database on a server and return its name."""
    template = f"docyard_template_{os.getpid()}"
    with psycopg.connect(server.conninfo(), autocommit=True) as conn:
        # Without fsync, cloning takes a third of the time, and tests that kill processes still lose no data.
        conn.execute("ALTER SYSTEM SET fsync = off")
        conn.execute("SELECT pg_reload_conf()")
        conn.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(template)))
    db = Database(lambda: make_conninfo(server.conninfo(), dbname=template))
    with db.connect() as conn:
        install(conn)
        conn.execute(sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(WEB_ROLE), WEB_PASSWORD))
    db.close()
    return template


@pytest.fixture
def database_name(server: Server, template: str) -> Iterator[str]:
    """The name of a new clone of the template, dropped afterwards."""
    name = f"t_{uuid4().hex[:12]}"
    with psycopg.connect(server.conninfo(), autocommit=True) as conn:
        conn.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
        yield name
        conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def database_address(server: Server, database_name: str) -> str:
    """The connection string of the test's database for its owner."""
    return make_conninfo(server.conninfo(), dbname=database_name)


@pytest.fixture
def database(database_address: str) -> Iterator[Database]:
    """The test's database with the rights of its owner, as for workers."""
    # On a busy machine, a transaction of a test may hold its locks for seconds.
    db = Database(lambda: database_address, size=10, lock_seconds=10.0)
    yield db
    db.close()


@pytest.fixture
def web_database(database_address: str) -> Iterator[Database]:
    """The test's database with the rights of the web role."""
    db = Database(lambda: make_conninfo(database_address, user=WEB_ROLE, password=WEB_PASSWORD), size=10)
    yield db
    db.close()


@pytest.fixture
def conn(database: Database) -> Iterator[Connection]:
    """A connection of the owner in autocommit mode."""
    with database.connect() as connection:
        yield connection


@pytest.fixture
def quick_commits(database_name: str, server: Server) -> None:
    """Turn synchronous commits off, for tests that do not crash the server."""
    with psycopg.connect(server.conninfo(), autocommit=True) as admin:
        name = sql.Identifier(database_name)
        admin.execute(sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(name))


@pytest.fixture
def without_embedding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turn embedding jobs off, for tests that count document jobs."""
    monkeypatch.setattr("docyard.pipeline.embedding_jobs.find_model", lambda: None)


@pytest.fixture
def workspace(database: Database) -> UUID:
    """The workspace of the test."""
    with database.transaction() as conn:
        return get_or_create_workspace(conn, "Main")


@pytest.fixture
def other_workspace(database: Database) -> UUID:
    """A second workspace."""
    with database.transaction() as conn:
        return get_or_create_workspace(conn, "Other")


@pytest.fixture
def blobs(tmp_path: Path) -> FolderBlobs:
    """An empty blob store."""
    made = FolderBlobs(tmp_path / "blobs", uuid4())
    made.create()
    return made


@pytest.fixture
def limits() -> Limits:
    """Limits that are small enough to be reached in a test."""
    return Limits(upload_bytes=2_000_000, stage_seconds=30.0)


@pytest.fixture
def children(limits: Limits) -> Iterator[ChildPool]:
    """A pool of two confined children."""
    pool = ChildPool(2, limits)
    yield pool
    pool.close()


@pytest.fixture
def pipeline(database: Database, blobs: FolderBlobs, children: ChildPool, limits: Limits) -> Pipeline:
    """A pipeline with all services that a worker needs."""
    return Pipeline(database, blobs, children, limits)
