"""The clock of this process; stored times come from the database's clock instead."""

from __future__ import annotations

import time


def monotonic() -> float:
    """Return seconds of a clock that never goes backwards, for timeouts and intervals in this process."""
    return time.monotonic()
