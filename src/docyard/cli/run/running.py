"""The one `docyard up` of an installation: who runs, and on which port."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from docyard.db.embedded.locks import is_held, open_lock, try_exclusive
from docyard.db.embedded.waits import wait_until


@contextmanager
def only_one(home: Path) -> Iterator[bool]:
    """True while we are the one `up` of this home; False when another one runs."""
    lock = open_lock(home / "up.lock")
    try:
        # Those who only look hold the lock for an instant, hence the second tries.
        yield wait_until(lambda: try_exclusive(lock), seconds=1.0)
    finally:
        os.close(lock)


def note_port(home: Path, port: int) -> None:
    """Remember the port, for links printed by other commands."""
    (home / "up.port").write_text(str(port))


def running_port(home: Path) -> int | None:
    """The port of the running `up`, if one runs."""
    if not is_held(home / "up.lock"):
        return None
    try:
        return int((home / "up.port").read_text())
    except (FileNotFoundError, ValueError):
        return None
