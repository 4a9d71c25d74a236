"""A worker process with the handlers of the chaos run, and optionally a wrong clock.

python -m tests.chaos.chaos_worker SECONDS_OFF WORKER_OPTION…
"""

from __future__ import annotations

import datetime as dt
import sys
import time


def shift_clock(seconds: float) -> None:
    """Shift the wall clock of this process; must be called before any other import."""
    real_time, real_datetime = time.time, dt.datetime

    class Shifted(dt.datetime):
        """A datetime class with a shifted clock."""

        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> Shifted:
            shifted = real_datetime.now(tz) + dt.timedelta(seconds=seconds)
            return cls.combine(shifted.date(), shifted.timetz())

    time.time = lambda: real_time() + seconds
    time.time_ns = lambda: int(time.time() * 1e9)
    dt.datetime = Shifted  # type: ignore[misc]


def main(seconds_off: str, *options: str) -> None:
    """Run `docyard worker` with the handlers of the chaos run."""
    if float(seconds_off):
        shift_clock(float(seconds_off))
    # Imported after the clock was shifted, so that all modules use the shifted clock.
    from docyard.cli import main as docyard
    from docyard.worker.execution import HANDLERS
    from tests.chaos.job_handlers import CHAOS_HANDLERS

    HANDLERS.update(CHAOS_HANDLERS)
    sys.argv = ["docyard", "worker", *options]
    docyard()


if __name__ == "__main__":
    main(*sys.argv[1:])
