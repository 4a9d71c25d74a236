"""Queue tests commit thousands of times, and none of them pulls the plug."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from docyard.db import Connection, Database


@pytest.fixture(autouse=True)
def _quick_commits(database_address: str) -> None:
    name = str(conninfo_to_dict(database_address)["dbname"])
    with psycopg.connect(database_address, autocommit=True) as conn:
        conn.execute(sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(sql.Identifier(name)))


@pytest.fixture(autouse=True)
def _road_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests count the jobs of roads; what embedding adds behind them has tests of its own."""
    monkeypatch.setattr("docyard.pipeline.embedding_jobs.find_model", lambda: None)


@pytest.fixture
def conn(database: Database) -> Iterator[Connection]:
    """A connection that commits each statement, for looking and for arranging."""
    with database.connect() as connection:
        yield connection
