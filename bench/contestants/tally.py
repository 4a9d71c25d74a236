"""What a worker process says of the jobs it runs; standard library only, every contestant shares it.

Each process that runs jobs, forked ones too, writes `{"pid", "ran", "first", "last"}` lines: every few
milliseconds, or with BENCH_EACH after every job's start. Times are of the monotonic clock, which all
processes of a machine share.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time

EACH = "BENCH_EACH" in os.environ
HANG = "BENCH_HANG" in os.environ  # the handler never returns, so that its worker dies holding the job
_INTERVAL = 0.01
_FOREVER = 3600.0


class _Process:
    """The counts of one process; a fork begins anew."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.ran = 0
        self.first = self.last = time.monotonic()
        if not EACH:
            threading.Thread(target=self._report, name="tally", daemon=True).start()

    def _report(self) -> None:
        said = 0
        while True:
            if said != self.ran:
                said = self.ran
                self.say()
            time.sleep(_INTERVAL)

    def say(self) -> None:
        line = {"pid": self.pid, "ran": self.ran, "first": self.first, "last": self.last}
        # One write, short enough for a pipe to keep whole, around whatever the library made of stdout.
        os.write(1, json.dumps(line).encode() + b"\n")


_here: list[_Process] = []
_guard = threading.Lock()


def ran() -> None:
    """Note that a job starts here and now; called first by every handler."""
    now = time.monotonic()
    with _guard:
        if not _here or _here[0].pid != os.getpid():
            _here[:] = [_Process()]
        one = _here[0]
        one.ran += 1
        one.last = now
        if EACH:
            one.say()


def no_op() -> None:
    """The handler of contestants whose handlers are plain functions."""
    ran()
    if HANG:
        time.sleep(_FOREVER)


def await_go() -> None:
    """Say that everything is loaded and wait for the start, so that several processes begin together."""
    os.write(1, b'{"ready": true}\n')
    os.read(0, 1)
    threading.Thread(target=_end_with_the_runner, name="runner", daemon=True).start()


def _end_with_the_runner() -> None:
    """A runner that was killed must not leave workers behind."""
    while os.read(0, 1):
        pass
    os.killpg(0, signal.SIGKILL)
