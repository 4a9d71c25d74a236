"""The one `docyard up` of an installation: who runs, and on which port."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def only_one(home: Path) -> Iterator[bool]:
    """True while we are the one `up` of this home; False when another one runs."""
    handle = os.open(home / "up.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(handle)


def note_port(home: Path, port: int) -> None:
    """Remember the port, for links printed by other commands."""
    (home / "up.port").write_text(str(port))


def running_port(home: Path) -> int | None:
    """The port of the running `up`, if one runs."""
    with only_one(home) as free:
        if free:
            return None
    try:
        return int((home / "up.port").read_text())
    except (FileNotFoundError, ValueError):
        return None
