"""The one `docyard up` of an installation: who runs, and on which port."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from docyard import clock
from docyard.db.embedded.locks import is_held, open_lock, try_exclusive
from docyard.errors import Setup

_STARTS_WITHIN = 60.0
_EVERY = 0.1


@dataclass(frozen=True, slots=True)
class Turn:
    """Whether we are the one `up` of a home, else the port of the other; neither when we shall stop."""

    ours: bool = False
    port: int | None = None


@contextmanager
def only_one(home: Path, asked_to_stop: Event) -> Iterator[Turn]:
    """Our turn, as long as this lasts, or what became of waiting for the other `up` of this home."""
    lock = open_lock(home / "up.lock")
    try:
        turn = _await_turn(home, lock, asked_to_stop)
        if turn.ours:
            (home / "up.port").unlink(missing_ok=True)
        yield turn
    finally:
        os.close(lock)


def _await_turn(home: Path, lock: int, asked_to_stop: Event) -> Turn:
    until = clock.monotonic() + _STARTS_WITHIN
    while not asked_to_stop.is_set():
        # The other one may die while it starts. Those who only look hold the lock for an instant.
        if try_exclusive(lock):
            return Turn(ours=True)
        if (port := running_port(home)) is not None:
            return Turn(port=port)
        if clock.monotonic() > until:
            raise Setup(
                "Another `docyard up` of this installation is starting, but not ready. Try again later."
            )
        asked_to_stop.wait(_EVERY)
    return Turn()


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
