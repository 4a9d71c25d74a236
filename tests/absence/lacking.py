"""Environments in which a package really is not installed: everything else of ours, linked into a new one."""

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
from tests.web.visiting import Person, sign_in, until


@dataclass(frozen=True)
class Machine:
    """A machine with a Python of its own that works on the test's database."""

    python: Path
    environ: dict[str, str]

    def run(self, *command: str) -> str:
        """Run a command of Docyard and give what it printed."""
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
    def serving(self) -> Iterator[str]:
        """The address of its site."""
        with listen("127.0.0.1", 0) as probe:
            port = probe.getsockname()[1]
        with self._started("serve", "--port", str(port)):
            until(lambda: _answers(port), 60.0)
            yield f"http://127.0.0.1:{port}"

    def work(self, database: Database, done: Callable[[], bool] = lambda: True) -> None:
        """Let a worker work until no job is left and something is true."""
        with self._started("worker", "--slots", "1", "--poll-interval", "0.1"):
            until(lambda: not _live_jobs(database) and done(), 90.0)

    @contextmanager
    def _started(self, *command: str) -> Iterator[None]:
        with subprocess.Popen([self.python, "-m", "docyard", *command], env=self.environ) as process:
            try:
                yield
            finally:
                process.terminate()


def machine(folder: Path, database_address: str, *lacking: str) -> Machine:
    """A machine like this one, without tesseract and without these packages."""
    python = Path(sys.executable) if not lacking else _python_without(folder / "-".join(lacking), lacking)
    (folder / "bin").mkdir(exist_ok=True)
    return Machine(
        python,
        {
            **os.environ,
            "DOCYARD_HOME": str(folder / "home"),
            "DOCYARD_DATABASE_URL": database_address,
            "PATH": str(folder / "bin"),  # nothing is there: no tesseract either
        },
    )


@contextmanager
def visitor(site_address: str, database: Database, workspace_id: UUID) -> Iterator[Person]:
    """An editor's browser on a site."""
    session = sign_in(database, "editor@example.org", workspace_id, "editor")
    with httpx.Client(base_url=site_address, timeout=60, cookies={"docyard_session": session}) as http:
        csrf = http.get("/").text.partition('name="docyard-csrf" content="')[2].partition('"')[0]
        yield Person(site_address, http, csrf, workspace_id)


def documents(database: Database) -> dict[str, dict[str, Any]]:
    """Every document, by its name."""
    with database.transaction() as conn:
        return {row["name"]: row for row in conn.execute("SELECT * FROM documents")}


def embedded(database: Database) -> set[str]:
    """The names of documents that have vectors."""
    with database.transaction() as conn:
        names = conn.execute("SELECT name FROM embedded_documents JOIN documents ON id = document_id")
        return {row["name"] for row in names}


def _python_without(folder: Path, lacking: tuple[str, ...]) -> Path:
    venv.create(folder, symlinks=True, with_pip=False)
    (theirs,) = folder.glob("lib/python3*/site-packages")
    for place in map(Path, site.getsitepackages()):
        for entry in place.iterdir() if place.is_dir() else ():
            if not entry.name.startswith(lacking) and not (theirs / entry.name).exists():
                (theirs / entry.name).symlink_to(entry)
    return folder / "bin" / "python"


def _answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/sign-in", timeout=5).is_success
    except httpx.HTTPError:
        return False


def _live_jobs(database: Database) -> bool:
    with database.transaction() as conn:
        return conn.execute("SELECT FROM jobs").fetchone() is not None
