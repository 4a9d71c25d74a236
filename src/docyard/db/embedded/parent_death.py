"""Child processes that end with their parent, on Linux."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def make_parent_death_handler(number: signal.Signals = signal.SIGINT) -> Callable[[], None]:
    """Return a preexec_fn that asks the kernel to send this signal to the child when the parent dies.

    Changing the user clears the request, but subprocess changes the user before it calls preexec_fn.
    """
    if sys.platform != "linux":
        # macOS has no equivalent. There, the next guardian stops the server that it finds.
        return lambda: None
    import ctypes

    prctl = ctypes.CDLL(None).prctl
    parent = os.getpid()

    def request_signal() -> None:
        prctl(_PR_SET_PDEATHSIG, number)
        if os.getppid() != parent:
            # The parent died before the call.
            os._exit(1)

    return request_signal
