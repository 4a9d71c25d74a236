"""Tests of stopping `docyard up`: it ends in bounded time, although a connection or a child is stuck."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.chaos.installation import ChaosInstallation, wait_for
from tests.chaos.instruments.proxy import Proxy

pytestmark = pytest.mark.chaos


@pytest.fixture
def silencing_proxy(scene: ChaosInstallation) -> Iterator[Proxy]:
    """A proxy whose connections become silent while the schema is checked."""
    address = scene.environ["DOCYARD_DATABASE_URL"]
    port = int(str(conninfo_to_dict(address)["port"]))
    with Proxy(lambda: port, silenced=b"schema_migrations") as proxy:
        scene.environ["DOCYARD_DATABASE_URL"] = make_conninfo(address, port=proxy.port)
        yield proxy


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_up_ends_at_once_while_it_opens_the_installation(
    scene: ChaosInstallation, silencing_proxy: Proxy, number: signal.Signals
) -> None:
    up = scene.start("up", "--port", "0")
    wait_for(lambda: silencing_proxy.silent_count, "the check of the schema")
    up.send_signal(number)
    assert up.wait(60) == 0, (scene.home / "processes.log").read_text()


def _find_children(parent: subprocess.Popen[bytes]) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()]


def test_up_kills_suspended_children(scene: ChaosInstallation) -> None:
    scene.environ["DOCYARD_DRAIN_SECONDS"] = "0.5"
    up = scene.start("up", "--port", "0")
    wait_for(lambda: "Stop with Ctrl-C" in (scene.home / "processes.log").read_text(), "the link")
    children = _find_children(up)
    assert len(children) == 2
    for child in children:
        os.kill(child, signal.SIGSTOP)
    up.send_signal(signal.SIGTERM)
    try:
        assert up.wait(60) == 0
        assert not any(map(_exists, children))
    finally:
        for child in filter(_exists, children):
            os.kill(child, signal.SIGKILL)


def _exists(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()
