"""Helpers for tests of embedded servers: homes, queries and waits."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import LiteralString

import psycopg

from docyard.db.embedded import cleanup
from docyard.db.embedded.address import read_address
from docyard.db.embedded.layout import Layout
from docyard.db.embedded.locks import is_locked

_USER = """
import sys
from pathlib import Path
from docyard.db.embedded import EmbeddedServer
with EmbeddedServer.attach(Path(sys.argv[1])) as server:
    print(server.conninfo(), flush=True)
    sys.stdin.read()
"""


@dataclass
class Home:
    """A home under test, and the processes attached to its server."""

    path: Path
    base: Path
    users: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def layout(self) -> Layout:
        return Layout.for_home(self.path)

    @property
    def data(self) -> Path:
        record = self.layout.data_record
        return Path(record.read_text().strip()) if record.exists() else self.layout.data_at_home

    def postmaster(self) -> int:
        address = read_address(self.layout)
        assert address is not None
        return address.pid

    def guardian(self) -> int:
        return int(self.layout.guardian_lock.read_text())

    def is_guarded(self) -> bool:
        return is_locked(self.layout.guardian_lock)

    def processes(self) -> set[int]:
        return cleanup._find_processes(self.data)

    def start_user(self) -> subprocess.Popen[str]:
        """Start a process that stays attached until its standard input is closed."""
        user = subprocess.Popen(
            [sys.executable, "-c", _USER, str(self.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.users.append(user)
        return user

    def stop(self) -> None:
        """Stop the server immediately, without waiting for the guardian to notice that it is unused."""
        os.kill(self.guardian(), signal.SIGTERM)
        assert_eventually(lambda: not self.is_guarded() and not self.processes())

    def end(self) -> None:
        for user in self.users:
            user.kill()
            user.communicate()
        if self.is_guarded():
            os.kill(self.guardian(), signal.SIGTERM)
            if not wait_for(lambda: not self.is_guarded(), 10):
                os.kill(self.guardian(), signal.SIGKILL)
        for pid in self.processes():
            kill_if_alive(pid)


def kill_if_alive(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def wait_for(holds: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def assert_eventually(holds: Callable[[], bool], seconds: float = 20) -> None:
    assert wait_for(holds, seconds), "the condition did not become true in time"


def run_statement(conninfo: str, statement: LiteralString) -> object:
    """Run one statement in its own transaction; return the first value of its result, or None."""
    with psycopg.connect(conninfo) as conn:
        cursor = conn.execute(statement)
        row = cursor.fetchone() if cursor.description else None
    return row[0] if row else None


def retry_statement(conninfo: Callable[[], str], statement: LiteralString, seconds: float = 20) -> object:
    """Run one statement; retry while the server is unavailable."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return run_statement(conninfo(), statement)
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
