"""Tests of startup: commands import few modules, and `docyard up` runs once per home."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from docyard.db.embedded import EmbeddedServer
from docyard.db.embedded.locks import open_lock, try_exclusive
from tests.chaos.installation import wait_for

_PRINT_MODULES = "import sys, docyard.cli.{0}; print(*(name for name in sys.modules if name.startswith('docyard.')))"
_COMMANDS = ("users.sign_in", "documents.add", "documents.search", "facts.entity", "queue.queue")


@pytest.mark.parametrize("command", _COMMANDS)
def test_commands_do_not_import_readers(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PRINT_MODULES.format(command)], check=True, capture_output=True, text=True
    )
    loaded = set(done.stdout.split())
    assert f"docyard.cli.{command}" in loaded
    assert not loaded & {"docyard.facts.fields", "docyard.facts.entities", "docyard.readers.pdf.reader"}


@pytest.fixture
def start_up(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A function that starts `docyard up` in the same home at each call, and returns its output file."""
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str) -> Path:
        written = tmp_path / name
        environ = {**os.environ, "DOCYARD_HOME": str(tmp_path / "home")}
        with written.open("wb") as output:
            command = [sys.executable, "-m", "docyard", "up", "--port", "0"]
            started.append(subprocess.Popen(command, env=environ, stdout=output, stderr=output))
        return written

    yield start
    for each in started:
        each.terminate()
    assert [each.wait(60) for each in started] == [0] * len(started)


def test_two_concurrent_ups_share_one_server(start_up: Callable[[str], Path]) -> None:
    one, other = start_up("one"), start_up("other")
    wait_for(lambda: one.read_text().count("token=") and other.read_text().count("token="), "both links")
    already_running = sorted("already running" in written.read_text() for written in (one, other))
    assert already_running == [False, True]
    links = {re.findall(r"http://\S+/sign-in", written.read_text())[0] for written in (one, other)}
    assert len(links) == 1


# A version of Docyard with an additional view.
OTHER_VERSION = """
import sys
from docyard.cli.main import main
from docyard.db.objects import ObjectFile, load_object_files

files = [*load_object_files(), ObjectFile("newer.sql", b"CREATE OR REPLACE VIEW newer AS SELECT 1 AS one")]
for module in ("migrate", "schema"):
    sys.modules[f"docyard.db.{module}"].load_object_files = lambda: files
main()
"""


def test_up_of_another_version_does_not_change_the_schema_of_the_running_one(
    tmp_path: Path, start_up: Callable[[str], Path]
) -> None:
    first = start_up("first")
    wait_for(lambda: "token=" in first.read_text(), "its link")
    environ = {**os.environ, "DOCYARD_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-c", OTHER_VERSION]
    second = subprocess.run(
        [*command, "up", "--port", "0"], env=environ, check=False, capture_output=True, text=True, timeout=90
    )
    assert (second.returncode, "Run: docyard migrate" in second.stderr) == (3, True), second
    assert views(tmp_path / "home", "newer") == []
    subprocess.run([*command, "migrate"], env=environ, check=True, capture_output=True, timeout=90)
    assert views(tmp_path / "home", "newer") == [("newer",)], "the other version adds a view"


def views(home: Path, name: str) -> list[tuple[str]]:
    with EmbeddedServer.attach(home) as server, psycopg.connect(server.conninfo()) as conn:
        return conn.execute("SELECT viewname FROM pg_views WHERE viewname = %s", (name,)).fetchall()


@pytest.fixture
def other_up(tmp_path: Path) -> Iterator[None]:
    """Another `up` of this home that is starting."""
    (tmp_path / "home").mkdir()
    lock = open_lock(tmp_path / "home" / "up.lock")
    assert try_exclusive(lock)
    yield
    os.close(lock)


@pytest.mark.usefixtures("other_up")
def test_up_can_be_stopped_while_it_waits_for_another(start_up: Callable[[str], Path]) -> None:
    second = start_up("second")
    wait_for(lambda: "Starting" in second.read_text(), "its first line of output")
    # The fixture `start_up` now stops this process, which is still waiting, and asserts exit code 0.
