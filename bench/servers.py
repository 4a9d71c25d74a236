"""Servers of a run: an embedded PostgreSQL with default durability, and Redis from a wheel."""

from __future__ import annotations

import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from bench.envs import PeerUnavailable, peer_python
from docyard.db.embedded import EmbeddedServer
from docyard.db.embedded.parent_death import make_parent_death_handler

_LOOPBACK = "127.0.0.1"


class Postgres:
    """The PostgreSQL server of all contestants; each has its own database."""

    def __init__(self, server: EmbeddedServer) -> None:
        self._server = server
        self.conninfo = server.conninfo
        self.version = self._query("SHOW server_version")
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            if self._query(f"SHOW {setting}") != "on":
                raise RuntimeError(f"{setting} is off, so the results would not be comparable")

    def create(self, database: str) -> str:
        """Create a database and return its URL."""
        with psycopg.connect(self.conninfo(), autocommit=True) as conn:
            conn.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database)))
        return self.url(database)

    def url(self, database: str) -> str:
        """Return the URL of a database, in a form that all drivers accept."""
        parts = conninfo_to_dict(self.conninfo())
        login = f"{parts['user']}:{quote(str(parts['password']))}"
        return f"postgresql://{login}@{parts['host']}:{parts['port']}/{database}?sslmode=disable"

    def vacuum(self, database: str) -> None:
        """Vacuum and analyse a database, as autovacuum would have done while the backlog grew."""
        with psycopg.connect(self.url(database), autocommit=True) as conn:
            conn.execute("VACUUM ANALYZE")

    def _query(self, statement: str) -> str:
        with psycopg.connect(self.conninfo()) as conn:
            row = conn.execute(statement.encode()).fetchone()
        return str(row[0]) if row else ""


@contextmanager
def postgres() -> Iterator[Postgres]:
    """Start a temporary PostgreSQL server."""
    with tempfile.TemporaryDirectory(prefix="docyard-bench-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # PostgreSQL may run under another account
        with EmbeddedServer.attach(Path(folder) / "home") as server:
            yield Postgres(server)


@contextmanager
def redis() -> Iterator[str]:
    """Start Redis with its default persistence, and yield its URL without a database number."""
    program = peer_python("redis").parent / "redis-server"
    with socket.socket() as probe:
        probe.bind((_LOOPBACK, 0))
        port = int(probe.getsockname()[1])
    with tempfile.TemporaryDirectory(prefix="docyard-bench-redis-", ignore_cleanup_errors=True) as folder:
        command = [str(program), "--port", str(port), "--bind", _LOOPBACK, "--dir", folder]
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=make_parent_death_handler(signal.SIGTERM),  # noqa: PLW1509 (it only makes a system call)
        )
        try:
            _await_port(port, process)
            yield f"redis://{_LOOPBACK}:{port}"
        finally:
            process.terminate()
            process.wait(30)


def _await_port(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex((_LOOPBACK, port)) == 0:
                return
        time.sleep(0.05)
    raise PeerUnavailable("the Redis server did not start")
