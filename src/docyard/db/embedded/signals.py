"""Signals as something to wait for: a stop request or the end of a child ends the wait at once."""

from __future__ import annotations

import os
import select
import signal
from types import FrameType


class Wake:
    """Turns SIGTERM and SIGINT into a flag, and any signal into a byte that ends `wait`."""

    def __init__(self) -> None:
        self.stop_requested = False
        self._reading, writing = os.pipe()
        for end in (self._reading, writing):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._request_stop)
        # A terminal that closes is no reason to stop; the end of a child only has to wake us.
        for number in (signal.SIGHUP, signal.SIGCHLD):
            signal.signal(number, _do_nothing)

    def wait(self, seconds: float) -> None:
        select.select([self._reading], [], [], seconds)
        try:
            os.read(self._reading, 4096)
        except BlockingIOError:
            return

    def _request_stop(self, _number: int, _frame: FrameType | None) -> None:
        self.stop_requested = True


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    return
