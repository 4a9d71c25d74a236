"""Reports of worker processes about started jobs; standard library only, shared by all contestants.

Each process that runs jobs, including forked ones, writes lines with `{"pid", "ran", "first", "last"}`:
every few milliseconds, or after the start of every job if BENCH_EACH is set. Times are those of the
monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time

EACH = "BENCH_EACH" in os.environ
HANG = "BENCH_HANG" in os.environ  # handlers never return, so that a killed worker still has its jobs
_INTERVAL = 0.01  # seconds
_HANG_SECONDS = 3600.0


class _Process:
    """The counts of one process; a forked process starts from zero."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.ran = 0
        self.first = self.last = time.monotonic()
        if not EACH:
            threading.Thread(target=self._report, name="tally", daemon=True).start()

    def _report(self) -> None:
        reported = 0
        while True:
            if reported != self.ran:
                reported = self.ran
                self.write()
            time.sleep(_INTERVAL)

    def write(self) -> None:
        line = {"pid": self.pid, "ran": self.ran, "first": self.first, "last": self.last}
        # One write to the descriptor, which is atomic in a pipe and bypasses redirections of sys.stdout.
        os.write(1, json.dumps(line).encode() + b"\n")


_current: list[_Process] = []
_lock = threading.Lock()


def count_start() -> None:
    """Count the start of a job; every handler does this first."""
    now = time.monotonic()
    with _lock:
        if not _current or _current[0].pid != os.getpid():
            _current[:] = [_Process()]
        process = _current[0]
        process.ran += 1
        process.last = now
        if EACH:
            process.write()


def no_op() -> None:
    """Count the job and return; hang if BENCH_HANG is set. For synchronous handlers."""
    count_start()
    if HANG:
        time.sleep(_HANG_SECONDS)


def await_go() -> None:
    """Report that the process is ready, and wait for the start signal, so that processes start together."""
    os.write(1, b'{"ready": true}\n')
    os.read(0, 1)
    threading.Thread(target=_stop_with_runner, name="runner", daemon=True).start()


def _stop_with_runner() -> None:
    """Kill this process group when the runner dies, so that no workers remain."""
    while os.read(0, 1):
        pass
    os.killpg(0, signal.SIGKILL)
