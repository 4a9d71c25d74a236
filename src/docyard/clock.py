"""The clock of this process; stored times come from the database's clock instead."""

from __future__ import annotations

import time

# On Linux, CLOCK_MONOTONIC does not count the time in which the machine is suspended. On macOS, it does.
_RUNNING_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def monotonic() -> float:
    """Return seconds of a clock that never goes backwards, for timeouts and intervals in this process."""
    return time.monotonic()


def seconds_since_boot() -> float:
    """Return seconds of a clock that is never set and that counts the time in which the machine is suspended."""
    return time.clock_gettime(_RUNNING_CLOCK)
