"""Tests of the embedded database and `docyard up` when processes are killed."""

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
from tests.chaos.installation import ChaosInstallation, get_address, wait_for
from tests.conftest import open_folder

pytestmark = pytest.mark.chaos


def test_workers_survive_a_killed_postmaster(own_scene: ChaosInstallation) -> None:
    documents = [own_scene.add_slow(), *own_scene.add_quick(20)]
    worker = own_scene.start_worker(slots=2)
    wait_for(lambda: own_scene.in_stage(documents[0], "extract"), "the slow document to be extracted")
    os.kill(get_address(own_scene.home).pid, signal.SIGKILL)
    own_scene.wait_all_ended()
    own_scene.check_each_ended_once(documents)
    assert worker.poll() is None


def test_up_recovers_after_all_processes_are_killed() -> None:
    with open_folder() as home:
        home.mkdir()
        first = ChaosInstallation(home, _make_closed_database(), UUID(int=0))
        documents = _start_up_with_documents(first)
        for process in _find_processes(home):
            process.kill()
        first.kill_processes()
        again = ChaosInstallation(home, _make_closed_database(), UUID(int=0))
        try:
            again.start("up")
            _connect(again)
            again.wait_all_ended()
            again.check_each_ended_once(documents)
        finally:
            again.kill_processes()
            _kill_processes(home)


def test_killing_up_ends_all_processes_and_up_can_restart() -> None:
    with open_folder() as home:
        home.mkdir()
        first = ChaosInstallation(home, _make_closed_database(), UUID(int=0))
        documents = _start_up_with_documents(first)
        first.processes[0].kill()
        first.processes[0].wait(10)
        first.kill_processes()
        wait_for(lambda: not _find_processes(home), "the web app, the worker and the server to end")
        again = ChaosInstallation(home, _make_closed_database(), UUID(int=0))
        try:
            up = again.start("up")
            _connect(again)
            again.wait_all_ended()
            again.check_each_ended_once(documents)
            up.send_signal(signal.SIGTERM)
            assert up.wait(30) == 0
            again.detach()
            wait_for(lambda: not is_running(home), "the database to stop with its last user")
        finally:
            again.kill_processes()
            _kill_processes(home)


def _make_closed_database() -> Database:
    def refuse() -> str:
        raise AssertionError("not connected yet")

    return Database(refuse, size=1)


def _start_up_with_documents(scene: ChaosInstallation) -> list[UUID]:
    """Start `docyard up`, add documents, and wait until one is being extracted."""
    scene.environ["DOCYARD_LEASE_SECONDS"] = "3"
    scene.start("up")
    _connect(scene)
    documents = [scene.add_slow(), *scene.add_quick(10)]
    wait_for(lambda: scene.in_stage(documents[0], "extract"), "the slow document to be extracted")
    return documents


def _connect(scene: ChaosInstallation) -> None:
    """Wait until `up` reports that it is ready, and connect to its database."""
    log = scene.home / "processes.log"
    wait_for(lambda: re.search(r"/sign-in\?token=\S+", log.read_text()), "the sign-in link")
    log.write_text("")
    scene.server = EmbeddedServer.attach(scene.home, watch=False)
    scene.db = Database(scene.server.conninfo, size=2)
    scene.workspace = scene.fetch_row("SELECT id FROM workspaces WHERE name = 'Main'")["id"]


def _find_processes(home: Path) -> list[psutil.Process]:
    """Return every process of this home, except this one."""
    found = []
    for process in psutil.process_iter(["environ", "cmdline", "pid"]):
        environ, command = process.info["environ"] or {}, process.info["cmdline"] or []
        ours = environ.get("DOCYARD_HOME") == str(home) or any(str(home) in part for part in command)
        if ours and process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found


def _kill_processes(home: Path) -> None:
    until = time.monotonic() + 20
    while (family := _find_processes(home)) and time.monotonic() < until:
        for process in family:
            process.kill()
        time.sleep(0.1)
