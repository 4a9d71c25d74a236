"""Stop signals: after the first, the worker finishes its jobs; after the second, it requeues them."""

from __future__ import annotations

import os
import signal
import threading

from docyard import log

_GRACE_SECONDS = 20.0
_EXIT_CODE_HUNG = 70
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class StopRequest:
    """Whether, and how urgently, the worker was asked to stop."""

    def __init__(self) -> None:
        self.wake = threading.Event()
        self._requests = 0

    @property
    def draining(self) -> bool:
        """Whether the worker must claim no more jobs."""
        return self._requests > 0

    @property
    def immediate(self) -> bool:
        """Whether the worker must stop without waiting for running jobs."""
        return self._requests > 1

    def request_stop(self) -> None:
        """Record a request to stop; 20 seconds after the second one, end the process if it still runs."""
        self._requests += 1
        self.wake.set()
        if self._requests == 2:
            timer = threading.Timer(_GRACE_SECONDS, os._exit, (_EXIT_CODE_HUNG,))
            timer.daemon = True
            timer.start()

    def handle_signals(self) -> None:
        """Treat SIGTERM and SIGINT as requests to stop; must be called before any other thread starts."""
        # A signal handler could deadlock: it may interrupt a thread that has the lock that `wake.set` needs.
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        threading.Thread(target=self._wait_for_signals, name="signals", daemon=True).start()

    def _wait_for_signals(self) -> None:
        while True:
            number = signal.sigwait(_SIGNALS)
            self.request_stop()
            log.event("worker_stopping", signal=signal.Signals(number).name, at_once=self.immediate)
