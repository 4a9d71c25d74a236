"""The command line as a person or program calls it: a real process in a home of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from docyard.db.embedded import EmbeddedServer
from tests.conftest import open_folder


@dataclass
class Shell:
    """A shell with its own DOCYARD_HOME."""

    home: Path
    environ: dict[str, str] = field(default_factory=dict)

    def run(self, *command: str, code: int = 0, given: str | None = None, **environ: str) -> str:
        """Run a command, insist on its exit code, and give what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "docyard", *command],
            env={**os.environ, "DOCYARD_HOME": str(self.home), **self.environ, **environ},
            check=False,
            capture_output=True,
            input=given,
            text=True,
            timeout=90,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout if code == 0 else done.stdout + done.stderr

    def json(self, *command: str, code: int = 0) -> Any:
        """Run a command with --json and read what it printed."""
        done = self.run(*command, "--json", code=code)
        return json.loads(done[: done.rindex("]" if done.lstrip().startswith("[") else "}") + 1])


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    """A shell whose embedded server stays up between commands."""
    with open_folder() as home, EmbeddedServer.attach(home):
        Shell(home).run("migrate")
        yield Shell(home)


@pytest.fixture
def stray_shell(tmp_path: Path, database_address: str) -> Shell:
    """A shell on the test's database, which holds nothing yet."""
    return Shell(tmp_path / "home", {"DOCYARD_DATABASE_URL": database_address})
