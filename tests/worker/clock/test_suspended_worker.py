"""A worker process that was suspended continues without shifting any time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from docyard.db import Connection
from docyard.queue.control.clock_steps import TOLERANCE_SECONDS
from tests.worker.worker_runs import wait_until

pytestmark = [pytest.mark.chaos, pytest.mark.long]


def test_a_suspended_worker_does_not_mistake_its_pause_for_a_step(
    conn: Connection, database_address: str, tmp_path: Path
) -> None:
    environ = {**os.environ, "DOCYARD_DATABASE_URL": database_address, "DOCYARD_HOME": str(tmp_path / "home")}
    worker = subprocess.Popen([sys.executable, "-m", "docyard", "worker"], env=environ)
    try:
        wait_until(lambda: _is_checked_since(conn, "-infinity"), "the worker")
        worker.send_signal(signal.SIGSTOP)
        time.sleep(TOLERANCE_SECONDS + 2)
        resumed = conn.execute("SELECT clock_timestamp() AS now").fetchone()
        worker.send_signal(signal.SIGCONT)
        assert resumed
        wait_until(lambda: _is_checked_since(conn, resumed["now"]), "a check of the clock")
    finally:
        worker.send_signal(signal.SIGCONT)
        worker.terminate()
        assert worker.wait(60) == 0
    assert conn.execute("SELECT FROM clock_steps").fetchall() == []
    assert len(conn.execute("SELECT FROM workers").fetchall()) == 1, "it was not lost"


def _is_checked_since(conn: Connection, since: object) -> bool:
    return conn.execute("SELECT FROM workers WHERE clock_checked_at > %s", (since,)).fetchone() is not None
