"""Tests of stopping `docyard up`: it ends in bounded time, although a child is suspended."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.chaos.installation import ChaosInstallation, wait_for

pytestmark = pytest.mark.chaos


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
