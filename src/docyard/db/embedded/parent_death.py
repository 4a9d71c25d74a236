"""A child that stops when its parent is killed, where the kernel can arrange it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def die_with_parent(number: signal.Signals = signal.SIGINT) -> Callable[[], None]:
    """What the child does before exec; subprocess has changed the user by then, which would undo it."""
    if sys.platform != "linux":
        # macOS has nothing like it: there the next guardian stops the server it finds.
        return lambda: None
    import ctypes

    prctl = ctypes.CDLL(None).prctl
    parent = os.getpid()

    def arrange() -> None:
        prctl(_PR_SET_PDEATHSIG, number)
        if os.getppid() != parent:
            # The parent died before the kernel knew our wish.
            os._exit(1)

    return arrange
