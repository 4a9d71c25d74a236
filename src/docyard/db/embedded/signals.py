"""Waits that end early when a signal arrives, such as a stop request or the end of a child."""

from __future__ import annotations

import os
import select
import signal
from types import FrameType


class SignalWaiter:
    """A wait that SIGTERM, SIGINT, SIGHUP or SIGCHLD ends; SIGTERM and SIGINT also set `stop_requested`."""

    def __init__(self) -> None:
        self.stop_requested = False
        self._read_end, write_end = os.pipe()
        for end in (self._read_end, write_end):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._request_stop)
        # A closed terminal must not stop the guardian; the end of a child only has to end the wait.
        for number in (signal.SIGHUP, signal.SIGCHLD):
            signal.signal(number, _do_nothing)

    def wait(self, seconds: float) -> None:
        """Wait for a signal, at most `seconds`."""
        select.select([self._read_end], [], [], seconds)
        try:
            os.read(self._read_end, 4096)
        except BlockingIOError:
            return

    def _request_stop(self, _number: int, _frame: FrameType | None) -> None:
        self.stop_requested = True


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    return
