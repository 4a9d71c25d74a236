"""The child processes of `docyard up`: the web app and a worker."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import TracebackType

import click

from docyard import clock, log
from docyard.db.embedded.layout import rotate_log
from docyard.db.embedded.parent_death import make_parent_death_handler
from docyard.worker.stop_request import StopRequest

_MAX_LOG_BYTES = 10 * 1024 * 1024
_RESTART_DELAY = 2.0  # minimum seconds between two starts of a child
_KILL_AFTER_SECONDS = 15.0  # since the second SIGTERM; a worker that hangs ends itself after ten


class ChildProcesses:
    """A context that starts the child processes on entry and stops them on exit."""

    def __init__(self, home: Path, listener: socket.socket, stopping: StopRequest) -> None:
        self._logs = home / "logs"
        self._logs.mkdir(exist_ok=True, mode=0o700)
        self._stopping = stopping
        # Kept open here, so that connections wait in the backlog while the web app restarts.
        self._listener = listener
        self._commands = {"serve": ["serve", "--listener", str(listener.fileno())], "worker": ["worker"]}
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._started: dict[str, float] = {}

    def __enter__(self) -> ChildProcesses:
        for name in self._commands:
            self._start(name)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Stop the children: the first SIGTERM lets them finish, the second makes them return their jobs.

        After the drain seconds they get the second one anyway, and are killed if even that does not end them.
        """
        self._listener.close()
        if not self._stopping.draining:  # the start failed
            self._stopping.request_stop()
        self._signal_all(signal.SIGTERM)
        click.echo("Stopping after the documents in progress. Press Ctrl-C again to stop immediately.")
        second_signal_at: float | None = None
        while not self._all_ended():
            if self._stopping.immediate and second_signal_at is None:
                second_signal_at = clock.monotonic()
                self._signal_all(signal.SIGTERM)
            elif second_signal_at is not None and clock.monotonic() - second_signal_at > _KILL_AFTER_SECONDS:
                self._signal_all(signal.SIGKILL)
            self._stopping.wake.clear()
            self._stopping.wake.wait(0.1)

    def all_alive(self) -> bool:
        """Return whether all children are running."""
        return all(child.poll() is None for child in self._children.values())

    def watch(self) -> None:
        """Restart children that exit, and rotate logs, until a stop is requested."""
        while not self._stopping.draining:
            for name, child in self._children.items():
                if child.poll() is not None and clock.monotonic() - self._started[name] > _RESTART_DELAY:
                    log.warn("process_ended", name=name, code=child.returncode, last_words=self.read_log_tail(name))
                    self._start(name)
                rotate_log(self._log_path(name), _MAX_LOG_BYTES)
            self._stopping.wake.wait(0.5)

    def read_log_tail(self, name: str, lines: int = 8) -> str:
        """Return the last lines of a child's log."""
        path = self._log_path(name)
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:]) if path.exists() else ""

    def _start(self, name: str) -> None:
        with self._log_path(name).open("ab") as output:
            self._children[name] = subprocess.Popen(
                [sys.executable, "-m", "docyard", *self._commands[name]],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                pass_fds=(self._listener.fileno(),) if name == "serve" else (),
                preexec_fn=_prepare_child,  # noqa: PLW1509 (no thread holds a lock that the child needs)
            )
        self._started[name] = clock.monotonic()

    def _all_ended(self) -> bool:
        return all(child.poll() is not None for child in self._children.values())

    def _signal_all(self, number: signal.Signals) -> None:
        for child in self._children.values():
            if child.poll() is None:
                child.send_signal(number)

    def _log_path(self, name: str) -> Path:
        return self._logs / f"{name}.log"


_exit_with_parent = make_parent_death_handler(signal.SIGTERM)


def _prepare_child() -> None:
    # `up` blocks these signals, because one of its threads waits for them; the child must receive them.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT))
    _exit_with_parent()
