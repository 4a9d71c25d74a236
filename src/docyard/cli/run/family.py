"""The processes `up` keeps running: the web app and a worker, restarted when they end by themselves."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import TracebackType

import click

from docyard import clock, log
from docyard.db.embedded.layout import trim_log
from docyard.db.embedded.parent_death import die_with_parent
from docyard.worker.stopping import Stopping

_LOG_BYTES = 10 * 1024 * 1024
_RESTART_PAUSE = 2.0
_GRACE_SECONDS = 10.0


class Family:
    """The children of `up`, by name."""

    def __init__(self, home: Path, listener: socket.socket, stopping: Stopping) -> None:
        self._logs = home / "logs"
        self._logs.mkdir(exist_ok=True, mode=0o700)
        self._stopping = stopping
        # Held here, the port stays ours while the web app starts again: who comes meanwhile waits.
        self._listener = listener
        self._commands = {"serve": ["serve", "--listener", str(listener.fileno())], "worker": ["worker"]}
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._started: dict[str, float] = {}

    def __enter__(self) -> Family:
        for name in self._commands:
            self._start(name)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """End the children: once asked they finish, asked again they give back."""
        self._listener.close()
        self._signal_all(signal.SIGTERM)
        click.echo("Stopping; what is being read is finished first. Ctrl-C again stops at once.")
        told_at_once: float | None = None
        while not self._all_ended():
            if self._stopping.at_once and told_at_once is None:
                told_at_once = clock.monotonic()
                self._signal_all(signal.SIGTERM)
            elif told_at_once is not None and clock.monotonic() - told_at_once > _GRACE_SECONDS:
                self._signal_all(signal.SIGKILL)
            self._stopping.wake.clear()
            self._stopping.wake.wait(0.1)

    def all_alive(self) -> bool:
        """Whether none has ended."""
        return all(child.poll() is None for child in self._children.values())

    def watch(self) -> None:
        """Restart whoever ends, until asked to stop."""
        while not self._stopping.draining:
            for name, child in self._children.items():
                if child.poll() is not None and clock.monotonic() - self._started[name] > _RESTART_PAUSE:
                    log.warn(
                        "process_ended", name=name, code=child.returncode, last_words=self.last_words(name)
                    )
                    self._start(name)
                trim_log(self._log(name), _LOG_BYTES)
            self._stopping.wake.wait(0.5)

    def last_words(self, name: str, lines: int = 8) -> str:
        """The end of a child's log."""
        path = self._log(name)
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:]) if path.exists() else ""

    def _start(self, name: str) -> None:
        with self._log(name).open("ab") as output:
            self._children[name] = subprocess.Popen(
                [sys.executable, "-m", "docyard", *self._commands[name]],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                pass_fds=(self._listener.fileno(),) if name == "serve" else (),
                preexec_fn=_as_child,  # noqa: PLW1509 (no thread of ours holds a lock that the child needs)
            )
        self._started[name] = clock.monotonic()

    def _all_ended(self) -> bool:
        return all(child.poll() is not None for child in self._children.values())

    def _signal_all(self, number: signal.Signals) -> None:
        for child in self._children.values():
            if child.poll() is None:
                child.send_signal(number)

    def _log(self, name: str) -> Path:
        return self._logs / f"{name}.log"


_arrange = die_with_parent(signal.SIGTERM)


def _as_child() -> None:
    # `up` blocks these signals for its own waiting thread; the child must hear them.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT))
    _arrange()
