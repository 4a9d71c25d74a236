"""The one `docyard up` of an installation: who runs, and on which port."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from docyard.db.embedded.locks import is_held, open_lock, try_exclusive
from docyard.db.embedded.waits import wait_until
from docyard.errors import Setup

_STARTS_WITHIN = 60.0


@contextmanager
def only_one(home: Path) -> Iterator[bool]:
    """True while we are the one `up` of this home; False when another one runs."""
    lock = open_lock(home / "up.lock")
    try:
        # Those who only look hold the lock for an instant, hence the second tries.
        free = wait_until(lambda: try_exclusive(lock), seconds=1.0)
        if free:
            (home / "up.port").unlink(missing_ok=True)
        yield free
    finally:
        os.close(lock)


def note_port(home: Path, port: int) -> None:
    """Remember the port, for links printed by other commands."""
    (home / "up.port").write_text(str(port))


def await_port(home: Path) -> int:
    """The port of the other `up`, which may be starting still."""
    wait_until(lambda: running_port(home) is not None, seconds=_STARTS_WITHIN)
    port = running_port(home)
    if port is None:
        raise Setup("Another `docyard up` of this installation is starting, but not ready. Try again later.")
    return port


def running_port(home: Path) -> int | None:
    """The port of the running `up`, if one runs."""
    if not is_held(home / "up.lock"):
        return None
    try:
        return int((home / "up.port").read_text())
    except (FileNotFoundError, ValueError):
        return None
