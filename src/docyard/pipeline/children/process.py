"""One child process as its parent sees it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping

from docyard import clock, log
from docyard.errors import Retry
from docyard.pipeline.children import wire

_START_SECONDS = 60.0
_END_SECONDS = 10.0
# Only what an interpreter needs; the rest may hold database addresses, keys and tokens.
_KEPT = {"PATH", "HOME", "TZ", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME"}


class Child:
    """A running child; whoever holds it is the only one to ask it something, while anyone may kill it."""

    def __init__(self, memory_bytes: int, embedding_model: str = "") -> None:
        self.calls = 0
        self._deadline = 0.0
        self.connection, theirs = socket.socketpair()
        try:
            self.process = _start(theirs, memory_bytes, embedding_model)
        except OSError as error:
            self.connection.close()
            raise Retry("internal", f"The reader could not be started: {error}.") from error
        finally:
            theirs.close()

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self.process.poll() is None

    def wait_until_ready(self) -> None:
        """Wait until the child has confined itself; EOFError or TimeoutError when it does not manage to."""
        wire.receive(self.connection, clock.monotonic() + _START_SECONDS)

    def ask(self, question: bytes, seconds: float) -> bytearray:
        """The answer to a question; EOFError when the child died, TimeoutError when it took too long."""
        self._deadline = clock.monotonic() + seconds
        self.calls += 1
        try:
            wire.send(self.connection, question, self._deadline)
        except ConnectionError as error:
            raise EOFError from error
        return self.hear_more()

    def hear_more(self) -> bytearray:
        """What the child says next to the same question, within the same time."""
        return wire.receive(self.connection, self._deadline)

    def kill(self) -> None:
        """End the process at once; its holder then learns so from the closed connection."""
        self.process.kill()

    def bury(self) -> int | None:
        """Wait for the end of a process that is ending, close what belongs to it, and say how it ended."""
        self.connection.close()
        try:
            return self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
        try:
            return self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            log.warn("child_will_not_end", pid=self.process.pid)
            return None


def _start(theirs: socket.socket, memory_bytes: int, embedding_model: str) -> subprocess.Popen[bytes]:
    facts = (theirs.fileno(), os.getpid(), memory_bytes, embedding_model)
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "docyard.pipeline.children.child", *map(str, facts)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=_environment(os.environ),
        pass_fds=[theirs.fileno()],
    )


def _environment(ours: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in ours.items() if name in _KEPT or name.startswith("LC_")}
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
