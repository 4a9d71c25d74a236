"""A real worker process that knows the trades of the chaos run, and whose clock may be wrong.

python -m tests.chaos.crew_worker SECONDS_OFF WORKER_OPTION…
"""

from __future__ import annotations

import datetime as dt
import sys
import time


def shift_clock(seconds: float) -> None:
    """Let every wall clock of this process be so far off; to be called before anything else is imported."""
    real_time, real_datetime = time.time, dt.datetime

    class Shifted(dt.datetime):
        """The date and time of a machine whose clock is wrong."""

        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> Shifted:
            right = real_datetime.now(tz) + dt.timedelta(seconds=seconds)
            return cls.combine(right.date(), right.timetz())

    time.time = lambda: real_time() + seconds
    time.time_ns = lambda: int(time.time() * 1e9)
    dt.datetime = Shifted  # type: ignore[misc]


def main(seconds_off: str, *options: str) -> None:
    """Run `docyard worker` with our handlers."""
    if float(seconds_off):
        shift_clock(float(seconds_off))
    # Only now, so that whoever imports a clock gets the wrong one.
    from docyard.cli import main as docyard
    from docyard.worker.execution import HANDLERS
    from tests.chaos.trades import TRADES

    HANDLERS.update(TRADES)
    sys.argv = ["docyard", "worker", *options]
    docyard()


if __name__ == "__main__":
    main(*sys.argv[1:])
