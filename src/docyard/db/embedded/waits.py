"""Waits for a condition, with a timeout."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event


def wait_until(holds: Callable[[], bool], seconds: float, every: float = 0.02) -> bool:
    """Wait until the condition holds; return False if it does not within `seconds`."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() >= deadline:
            return False
        pause(every)
    return True


def pause(seconds: float) -> None:
    """Sleep between two checks of a condition that can only be polled."""
    Event().wait(seconds)
