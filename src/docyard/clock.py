"""The process's own clocks; stored times always come from the database's clock instead."""

from __future__ import annotations

import time


def monotonic() -> float:
    """Seconds that only go forward, for timeouts and intervals inside this process."""
    return time.monotonic()
