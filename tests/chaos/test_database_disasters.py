"""What happens when the embedded database, or all of `docyard up`, is killed."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path
from uuid import UUID

import psutil
import pytest

from docyard.db import Database
from docyard.db.embedded import EmbeddedServer, is_running
from tests.chaos.scene import Scene, address_of, wait_for
from tests.conftest import open_folder

pytestmark = pytest.mark.chaos


def test_workers_survive_a_killed_postmaster(own_scene: Scene) -> None:
    documents = [own_scene.add_slow(), *own_scene.add_quick(20)]
    worker = own_scene.worker(slots=2)
    wait_for(lambda: own_scene.in_stage(documents[0], "extract"), "the slow document to be extracted")
    os.kill(address_of(own_scene.home).pid, signal.SIGKILL)
    own_scene.wait_all_ended()
    own_scene.check_each_ended_once(documents)
    assert worker.poll() is None


def test_everything_killed_at_once_starts_again_without_help() -> None:
    with open_folder() as home:
        home.mkdir()
        first = Scene(home, _no_database(), UUID(int=0))
        documents = _up_with_work(first)
        for process in _family_of(home):
            process.kill()
        first.end()
        again = Scene(home, _no_database(), UUID(int=0))
        try:
            again.start("up")
            _connect(again)
            again.wait_all_ended()
            again.check_each_ended_once(documents)
        finally:
            again.end()
            _end_family(home)


def test_a_killed_up_takes_its_family_along_and_starts_again() -> None:
    with open_folder() as home:
        home.mkdir()
        first = Scene(home, _no_database(), UUID(int=0))
        documents = _up_with_work(first)
        first.processes[0].kill()
        first.processes[0].wait(10)
        first.end()
        wait_for(lambda: not _family_of(home), "the web app, the worker and the server to go")
        again = Scene(home, _no_database(), UUID(int=0))
        try:
            up = again.start("up")
            _connect(again)
            again.wait_all_ended()
            again.check_each_ended_once(documents)
            up.send_signal(signal.SIGTERM)
            assert up.wait(30) == 0
            again.let_go()
            wait_for(lambda: not is_running(home), "the database to stop with its last user")
        finally:
            again.end()
            _end_family(home)


def _no_database() -> Database:
    def refuse() -> str:
        raise AssertionError("not connected yet")

    return Database(refuse, size=1)


def _up_with_work(scene: Scene) -> list[UUID]:
    """Start everything, add documents, and wait until one is in the middle of a stage."""
    scene.environ["DOCYARD_LEASE_SECONDS"] = "3"
    scene.start("up")
    _connect(scene)
    documents = [scene.add_slow(), *scene.add_quick(10)]
    wait_for(lambda: scene.in_stage(documents[0], "extract"), "the slow document to be extracted")
    return documents


def _connect(scene: Scene) -> None:
    """Reach the scene's own database once `up` says it is ready."""
    log = scene.home / "processes.log"
    wait_for(lambda: re.search(r"/sign-in\?token=\S+", log.read_text()), "the sign-in link")
    log.write_text("")
    scene.server = EmbeddedServer.attach(scene.home, watch=False)
    scene.db = Database(scene.server.conninfo, size=2)
    scene.workspace = scene.row("SELECT id FROM workspaces WHERE name = 'Main'")["id"]


def _family_of(home: Path) -> list[psutil.Process]:
    """Every process that belongs to this home, but not this one."""
    found = []
    for process in psutil.process_iter(["environ", "cmdline", "pid"]):
        environ, command = process.info["environ"] or {}, process.info["cmdline"] or []
        ours = environ.get("DOCYARD_HOME") == str(home) or any(str(home) in part for part in command)
        if ours and process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found


def _end_family(home: Path) -> None:
    until = time.monotonic() + 20
    while (family := _family_of(home)) and time.monotonic() < until:
        for process in family:
            process.kill()
        time.sleep(0.1)
