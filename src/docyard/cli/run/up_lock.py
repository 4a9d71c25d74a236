"""The lock that allows only one `docyard up` per installation, and the file with the port of that `up`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from docyard import clock
from docyard.db.embedded.locks import is_locked, open_lock, try_exclusive
from docyard.errors import SetupError

_START_TIMEOUT = 60.0  # seconds
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class LockResult:
    """The outcome: lock acquired, or another `up` listens on `port`, or a stop was requested (both unset)."""

    acquired: bool = False
    port: int | None = None


@contextmanager
def acquire_up_lock(home: Path, stop_requested: Event) -> Iterator[LockResult]:
    """Lock the home until the context ends; if another `up` holds the lock, wait for its port instead."""
    lock = open_lock(home / "up.lock")
    try:
        turn = _await_turn(home, lock, stop_requested)
        if turn.acquired:
            (home / "up.port").unlink(missing_ok=True)
        yield turn
    finally:
        os.close(lock)


def _await_turn(home: Path, lock: int, stop_requested: Event) -> LockResult:
    deadline = clock.monotonic() + _START_TIMEOUT
    while not stop_requested.is_set():
        # Retried, because the other `up` may die, or `read_running_port` may have held the lock briefly.
        if try_exclusive(lock):
            return LockResult(acquired=True)
        if (port := read_running_port(home)) is not None:
            return LockResult(port=port)
        if clock.monotonic() > deadline:
            raise SetupError(
                "Another `docyard up` is starting this installation, but is not ready after"
                f" {_START_TIMEOUT:.0f} seconds. Check its output, then try again."
            )
        stop_requested.wait(_POLL_SECONDS)
    return LockResult()


def save_port(home: Path, port: int) -> None:
    """Save the port for other commands."""
    (home / "up.port").write_text(str(port))


def read_running_port(home: Path) -> int | None:
    """Return the port of the running `up`, or None if no `up` is running or it has not saved its port yet."""
    if not is_locked(home / "up.lock"):
        return None
    try:
        return int((home / "up.port").read_text())
    except (FileNotFoundError, ValueError):
        return None
