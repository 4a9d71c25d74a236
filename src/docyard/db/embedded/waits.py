"""Waiting on a condition with a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event


def wait_until(holds: Callable[[], bool], seconds: float, every: float = 0.02) -> bool:
    """Whether the condition came to hold in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() >= deadline:
            return False
        pause(every)
    return True


def pause(seconds: float) -> None:
    """Let a moment pass between two looks at something that cannot announce itself."""
    Event().wait(seconds)
