"""Tests of connections that become silent without being closed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from uuid import UUID

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from docyard.worker.duties import DUTIES
from tests.chaos.installation import ChaosInstallation, wait_for
from tests.chaos.instruments.proxy import Proxy

pytestmark = pytest.mark.chaos
ALIVE = "SELECT id FROM workers WHERE state = 'alive'"
CHECK = b"schema_migrations"  # sent while the schema is checked
LAST_DUTY = "SELECT duty FROM duties WHERE duty = %(name)s"


def _open_proxy(scene: ChaosInstallation, spared: bytes | None = None, silenced: bytes | None = None) -> Proxy:
    """Return a proxy between the processes that start from now on and the database."""
    address = scene.environ["DOCYARD_DATABASE_URL"]
    port = int(str(conninfo_to_dict(address)["port"]))
    proxy = Proxy(lambda: port, spared, silenced)
    scene.environ["DOCYARD_DATABASE_URL"] = make_conninfo(address, port=proxy.port)
    return proxy


@pytest.fixture
def proxy(scene: ChaosInstallation) -> Iterator[Proxy]:
    """A proxy that silences every connection except those of heartbeats."""
    with _open_proxy(scene, b"docyard heartbeat") as proxy:
        yield proxy


def _find_worker(scene: ChaosInstallation) -> UUID:
    """Wait until a worker has run every duty once, and return its id."""
    wait_for(lambda: scene.fetch_row(LAST_DUTY, name=DUTIES[-1].name), "the duties")
    found: UUID = scene.fetch_row(ALIVE)["id"]
    return found


def test_a_worker_replaces_silent_connections(scene: ChaosInstallation) -> None:
    with _open_proxy(scene) as proxy:
        scene.start_worker()
        first = _find_worker(scene)
        proxy.fall_silent(new_ones_too=False)
        documents = scene.add_quick(3)
        find_other = "SELECT id FROM workers WHERE id <> %(id)s"
        wait_for(lambda: scene.fetch_row(find_other, id=first), "the worker to register again")
        scene.wait_all_ended()
    scene.check_each_ended_once(documents)


def test_a_worker_whose_heartbeat_is_alive_replaces_its_silent_connections(
    scene: ChaosInstallation, proxy: Proxy
) -> None:
    scene.start_worker()
    worker = _find_worker(scene)
    proxy.fall_silent(new_ones_too=False)
    documents = scene.add_quick(3)
    wait_for(scene.all_ended, "every document to end", patience=60)
    scene.check_each_ended_once(documents)
    assert scene.fetch_row(ALIVE) == {"id": worker}, "the heartbeat was never missed"


def test_a_heartbeat_tells_since_when_the_main_loop_makes_no_progress(scene: ChaosInstallation, proxy: Proxy) -> None:
    scene.start_worker()
    _find_worker(scene)
    proxy.fall_silent()
    idle = "SELECT FROM workers WHERE heartbeat_at > progress_at + interval '2 seconds' AND state = 'alive'"
    wait_for(lambda: scene.fetch_row(f"SELECT EXISTS ({idle}) AS found")["found"], "a heartbeat without progress")


def test_sigterm_ends_a_worker_whose_connections_stay_silent(scene: ChaosInstallation, proxy: Proxy) -> None:
    scene.environ["DOCYARD_DRAIN_SECONDS"] = "0.5"
    scene.add_quick(1)
    worker = scene.start_worker()
    _find_worker(scene)
    proxy.fall_silent()
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(60) in (0, 70)


def test_every_command_ends_if_its_connections_become_silent_while_it_starts(scene: ChaosInstallation) -> None:
    with _open_proxy(scene, silenced=CHECK) as proxy:
        commands = [("queue", "status"), ("migrate",), ("worker",), ("serve", "--port", "0"), ("up", "--port", "0")]
        started = [scene.start(*command) for command in commands]
        assert [process.wait(120) for process in started] == [4] * len(commands)
        assert proxy.silent_count >= len(commands)
    assert "did not answer" in (scene.home / "processes.log").read_text()
