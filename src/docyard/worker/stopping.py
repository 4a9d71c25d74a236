"""Signals: the first asks the worker to finish what it holds, the second to give it back."""

from __future__ import annotations

import os
import signal
import threading

from docyard import log

_GRACE_SECONDS = 20.0
_HUNG = 70
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Stopping:
    """How urgently the worker was asked to stop."""

    def __init__(self) -> None:
        self.wake = threading.Event()
        self._asked = 0

    @property
    def draining(self) -> bool:
        """Take nothing new."""
        return self._asked > 0

    @property
    def at_once(self) -> bool:
        """Do not wait for what runs either."""
        return self._asked > 1

    def ask(self) -> None:
        """Ask once more; whoever was asked twice and hangs is ended, and its leases run out."""
        self._asked += 1
        self.wake.set()
        if self._asked == 2:
            hang_up = threading.Timer(_GRACE_SECONDS, os._exit, (_HUNG,))
            hang_up.daemon = True
            hang_up.start()

    def on_signals(self) -> None:
        """Let SIGTERM and SIGINT ask; called by the main thread before any other thread starts."""
        # A handler could interrupt the main thread inside the very lock that `wake.set` needs.
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        threading.Thread(target=self._await_signals, name="signals", daemon=True).start()

    def _await_signals(self) -> None:
        while True:
            number = signal.sigwait(_SIGNALS)
            self.ask()
            log.event("worker_stopping", signal=signal.Signals(number).name, at_once=self.at_once)
