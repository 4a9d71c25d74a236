"""Stopping the children of `docyard up`, one of which is suspended."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from docyard.cli.run.child_processes import ChildProcesses
from docyard.errors import SetupError
from docyard.worker.stop_request import StopRequest


@pytest.fixture
def suspended() -> Iterator[subprocess.Popen[bytes]]:
    """A suspended process, which handles no signal but SIGKILL."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED)
    with process:
        yield process
        process.kill()


@pytest.mark.timeout(60)
def test_a_failed_start_kills_a_suspended_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suspended: subprocess.Popen[bytes]
) -> None:
    monkeypatch.setattr("docyard.cli.run.child_processes._KILL_AFTER_SECONDS", 0.1)
    processes = ChildProcesses(tmp_path, socket.create_server(("127.0.0.1", 0)), StopRequest(drain_seconds=0.1))
    monkeypatch.setattr(processes, "_commands", {})
    processes._children["serve"] = suspended
    with pytest.raises(SetupError, match="not become ready"), processes:
        raise SetupError("Docyard did not become ready.")
    assert suspended.returncode == -signal.SIGKILL
