"""Simulated machines without certain packages; all other packages are linked into a virtual environment."""

from __future__ import annotations

import os
import site
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx

from docyard.db import Database
from docyard.web.server import listen
from tests.web.site import Client, sign_in, wait_until


@dataclass(frozen=True)
class Machine:
    """A simulated machine: its own Python and environment, and the test's database."""

    python: Path
    environ: dict[str, str]

    def run(self, *command: str) -> str:
        """Run a Docyard command, assert that it succeeds, and return its standard output."""
        done = subprocess.run(
            [self.python, "-m", "docyard", *command],
            env=self.environ,
            check=False,
            capture_output=True,
            text=True,
            timeout=90,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def serve(self) -> Iterator[str]:
        """Start the web app and yield its URL."""
        with listen("127.0.0.1", 0) as probe:
            port = probe.getsockname()[1]
        with self._run_in_background("serve", "--port", str(port)):
            wait_until(lambda: _is_up(port), 60.0)
            yield f"http://127.0.0.1:{port}"

    def work(self, database: Database, done: Callable[[], bool] = lambda: True) -> None:
        """Run a worker until no job is left and the condition is true."""
        with self._run_in_background("worker", "--slots", "1", "--poll-interval", "0.1"):
            wait_until(lambda: not _has_jobs(database) and done(), 90.0)

    @contextmanager
    def _run_in_background(self, *command: str) -> Iterator[None]:
        with subprocess.Popen([self.python, "-m", "docyard", *command], env=self.environ) as process:
            try:
                yield
            finally:
                process.terminate()


def make_machine(folder: Path, database_address: str, *lacking: str) -> Machine:
    """Return a machine without tesseract and without the packages whose names have these prefixes."""
    python = Path(sys.executable) if not lacking else _make_python(folder / "-".join(lacking), lacking)
    (folder / "bin").mkdir(exist_ok=True)
    return Machine(
        python,
        {
            **os.environ,
            "DOCYARD_HOME": str(folder / "home"),
            "DOCYARD_DATABASE_URL": database_address,
            "PATH": str(folder / "bin"),  # empty, so tesseract is not found
        },
    )


@contextmanager
def sign_in_editor(site_address: str, database: Database, workspace_id: UUID) -> Iterator[Client]:
    """Yield an HTTP client that is signed in as an editor."""
    session = sign_in(database, "editor@example.org", workspace_id, "editor")
    with httpx.Client(base_url=site_address, timeout=60, cookies={"docyard_session": session}) as http:
        csrf = http.get("/").text.partition('name="docyard-csrf" content="')[2].partition('"')[0]
        yield Client(site_address, http, csrf, workspace_id)


def documents(database: Database) -> dict[str, dict[str, Any]]:
    """Return all documents by name."""
    with database.transaction() as conn:
        return {row["name"]: row for row in conn.execute("SELECT * FROM documents")}


def embedded_names(database: Database) -> set[str]:
    """Return the names of the documents that have embeddings."""
    with database.transaction() as conn:
        names = conn.execute("SELECT name FROM embedded_documents JOIN documents ON id = document_id")
        return {row["name"] for row in names}


def _make_python(folder: Path, lacking: tuple[str, ...]) -> Path:
    venv.create(folder, symlinks=True, with_pip=False)
    (packages,) = folder.glob("lib/python3*/site-packages")
    for source in map(Path, site.getsitepackages()):
        for entry in source.iterdir() if source.is_dir() else ():
            if not entry.name.startswith(lacking) and not (packages / entry.name).exists():
                (packages / entry.name).symlink_to(entry)
    return folder / "bin" / "python"


def _is_up(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/sign-in", timeout=5).is_success
    except httpx.HTTPError:
        return False


def _has_jobs(database: Database) -> bool:
    with database.transaction() as conn:
        return conn.execute("SELECT FROM jobs").fetchone() is not None
