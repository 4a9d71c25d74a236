"""Commands start quickly, because none loads readers that it does not need; `up` starts once."""

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
from tests.chaos.scene import wait_for

_LOADED = "import sys, docyard.cli.{0}; print(*(name for name in sys.modules if name.startswith('docyard.')))"
_COMMANDS = ("people.sign_in", "documents.add", "documents.search", "facts.entity", "queue.queue")


@pytest.mark.parametrize("command", _COMMANDS)
def test_a_command_loads_no_reader_of_facts(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LOADED.format(command)], check=True, capture_output=True, text=True
    )
    loaded = set(done.stdout.split())
    assert f"docyard.cli.{command}" in loaded
    assert not loaded & {"docyard.facts.fields", "docyard.facts.entities", "docyard.readers.pdf.reader"}


@pytest.fixture
def ups(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Starts `docyard up` in a home, as often as it is called; gives the file it writes to."""
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


def test_two_that_are_started_at_once_are_one(ups: Callable[[str], Path]) -> None:
    one, other = ups("one"), ups("other")
    wait_for(lambda: one.read_text().count("token=") and other.read_text().count("token="), "both links")
    said = sorted("already up" in written.read_text() for written in (one, other))
    assert said == [False, True]
    links = {re.findall(r"http://\S+/sign-in", written.read_text())[0] for written in (one, other)}
    assert len(links) == 1


# A build that has one view more.
ANOTHER_BUILD = """
import sys
from docyard.cli.main import main
from docyard.db.objects import ObjectFile, object_files

files = [*object_files(), ObjectFile("newer.sql", b"CREATE OR REPLACE VIEW newer AS SELECT 1 AS one")]
for module in ("migrate", "schema"):
    sys.modules[f"docyard.db.{module}"].object_files = lambda: files
main()
"""


def test_one_of_another_build_leaves_the_schema_to_the_running_one(
    tmp_path: Path, ups: Callable[[str], Path]
) -> None:
    first = ups("first")
    wait_for(lambda: "token=" in first.read_text(), "its link")
    environ = {**os.environ, "DOCYARD_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-c", ANOTHER_BUILD]
    second = subprocess.run(
        [*command, "up", "--port", "0"], env=environ, check=False, capture_output=True, text=True, timeout=90
    )
    assert (second.returncode, "Run: docyard migrate" in second.stderr) == (3, True), second
    assert views(tmp_path / "home", "newer") == []
    subprocess.run([*command, "migrate"], env=environ, check=True, capture_output=True, timeout=90)
    assert views(tmp_path / "home", "newer") == [("newer",)], "it is another build"


def views(home: Path, name: str) -> list[tuple[str]]:
    with EmbeddedServer.attach(home) as server, psycopg.connect(server.conninfo()) as conn:
        return conn.execute("SELECT viewname FROM pg_views WHERE viewname = %s", (name,)).fetchall()


@pytest.fixture
def starting(tmp_path: Path) -> Iterator[None]:
    """Another `up` of the home that has only just begun."""
    (tmp_path / "home").mkdir()
    lock = open_lock(tmp_path / "home" / "up.lock")
    assert try_exclusive(lock)
    yield
    os.close(lock)


@pytest.mark.usefixtures("starting")
def test_one_that_waits_for_another_can_be_stopped(ups: Callable[[str], Path]) -> None:
    second = ups("second")
    wait_for(lambda: "Starting" in second.read_text(), "its first words")
    # It is asked to stop by `ups`, which insists that it ends well, while the other one is still starting.
