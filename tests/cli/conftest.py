"""Shells that run `docyard` as a process with a separate home."""

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
    """A shell with a separate DOCYARD_HOME."""

    home: Path
    environ: dict[str, str] = field(default_factory=dict)

    def run(self, *command: str, code: int = 0, stdin: str | None = None, **environ: str) -> str:
        """Run a command, assert its exit code, and return stdout, followed by stderr if the code is not 0."""
        done = subprocess.run(
            [sys.executable, "-m", "docyard", *command],
            env={**os.environ, "DOCYARD_HOME": str(self.home), **self.environ, **environ},
            check=False,
            capture_output=True,
            input=stdin,
            text=True,
            timeout=90,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout if code == 0 else done.stdout + done.stderr

    def json(self, *command: str, code: int = 0) -> Any:
        """Run a command with --json and return the parsed output."""
        done = self.run(*command, "--json", code=code)
        return json.loads(done[: done.rindex("]" if done.lstrip().startswith("[") else "}") + 1])


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    """A shell with an embedded server that keeps running between commands."""
    with open_folder() as home, EmbeddedServer.attach(home):
        Shell(home).run("migrate")
        yield Shell(home)


@pytest.fixture
def external_shell(tmp_path: Path, database_address: str) -> Shell:
    """A shell that uses the migrated database of the test."""
    return Shell(tmp_path / "home", {"DOCYARD_DATABASE_URL": database_address})
