"""The parent's handle for one child process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import BinaryIO, cast

from docyard import clock, log
from docyard.errors import Retry
from docyard.pipeline.children import protocol

_START_SECONDS = 60.0
_END_SECONDS = 10.0
_MAX_STDERR_BYTES = 64 * 1024
# Environment variables passed to children. Others may contain database URLs, keys and tokens.
_PASSED_VARIABLES = {"PATH", "HOME", "TZ", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME"}


class Child:
    """A running child; only one thread at a time may send it requests, but any thread may kill it."""

    def __init__(self, memory_bytes: int, embedding_model: str = "") -> None:
        self.calls = 0
        self._deadline = 0.0
        self.connection, theirs = socket.socketpair()
        self._stderr = _open_stderr_file()
        try:
            self.process = _start((theirs.fileno(), self._stderr.fileno()), memory_bytes, embedding_model)
        except OSError as error:
            self.connection.close()
            self._stderr.close()
            raise Retry("internal", f"The reader process could not be started: {error}.") from error
        finally:
            theirs.close()

    @property
    def is_alive(self) -> bool:
        """Whether the process is running."""
        return self.process.poll() is None

    def wait_until_ready(self) -> None:
        """Wait until the child is confined; raise EOFError if it ends, TimeoutError after a minute."""
        protocol.receive(self.connection, clock.monotonic() + _START_SECONDS)

    def send_request(self, request: bytes, seconds: float) -> bytearray:
        """Send a request and return the first reply.

        Raises EOFError if the child dies, and TimeoutError if it takes longer than `seconds`.
        """
        self._deadline = clock.monotonic() + seconds
        self.calls += 1
        try:
            protocol.send(self.connection, request, self._deadline)
        except ConnectionError as error:
            raise EOFError from error
        return self.receive_reply()

    def receive_reply(self) -> bytearray:
        """Return the next reply to the same request, before the same deadline."""
        return protocol.receive(self.connection, self._deadline)

    def kill(self) -> None:
        """Kill the process; the thread that waits for its reply gets EOFError."""
        self.process.kill()

    def read_stderr(self) -> str:
        """Return the start of what the current call printed. It may contain document text: do not log it."""
        self._stderr.seek(0)
        return self._stderr.read(_MAX_STDERR_BYTES).decode(errors="replace").strip("\x00 \n")

    def reap(self) -> int | None:
        """Close the connection, wait for the process to end, and return its exit code.

        Kills the process if it does not end in time, and returns None if it does not end even then.
        """
        self.connection.close()
        self._stderr.close()
        try:
            return self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
        try:
            return self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            log.warn("child_will_not_end", pid=self.process.pid)
            return None


def _open_stderr_file() -> BinaryIO:
    """Open a file without a name; on Linux in memory, because what a reader prints may contain document text."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("stderr"), "w+b")
    return cast("BinaryIO", tempfile.TemporaryFile())


def _start(descriptors: tuple[int, int], memory_bytes: int, embedding_model: str) -> subprocess.Popen[bytes]:
    arguments = (*descriptors, os.getpid(), memory_bytes, embedding_model)
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "docyard.pipeline.children.child", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=_make_environment(os.environ),
        pass_fds=descriptors,
    )


def _make_environment(ours: Mapping[str, str]) -> dict[str, str]:
    passed = {name: value for name, value in ours.items() if name in _PASSED_VARIABLES or name.startswith("LC_")}
    return passed | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
