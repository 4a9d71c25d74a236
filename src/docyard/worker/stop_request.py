"""Stop signals: after the first, the worker finishes its jobs; after the second or a time, it requeues them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from docyard import log

_EXIT_CODE_HUNG = 70
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class StopRequest:
    """Whether, and how urgently, the process was asked to stop.

    `drain_seconds` after the first request, the process must stop immediately; None means never. If it still runs
    `grace_seconds` later, it ends itself.
    """

    def __init__(self, drain_seconds: float | None = None, grace_seconds: float = 20.0) -> None:
        self.wake = threading.Event()
        self._drain_seconds = drain_seconds
        self._grace_seconds = grace_seconds
        self._requests = 0
        self._handles_signals = False
        self._ends_at_once = False

    @property
    def draining(self) -> bool:
        """Whether the worker must claim no more jobs."""
        return self._requests > 0

    @property
    def immediate(self) -> bool:
        """Whether the worker must stop without waiting for running jobs."""
        return self._requests > 1

    def request_stop(self) -> None:
        """Record a request to stop; after the second one, end the process if it still runs after the grace time."""
        self._requests += 1
        self.wake.set()
        if self._requests == 1 and self._drain_seconds is not None:
            _start_timer(self._drain_seconds, self._stop_draining)
        if self._requests == 2:
            _start_timer(self._grace_seconds, self.end_process)

    def end_process(self) -> None:
        """End the process at once, because a thread hangs; the leases of its jobs expire."""
        if self._handles_signals:  # otherwise it is a worker in a thread of another program
            log.warn("process_ended_itself", exit_code=_EXIT_CODE_HUNG)
            os._exit(_EXIT_CODE_HUNG)

    @contextmanager
    def ending_at_once(self) -> Iterator[None]:
        """Let the first signal end the process within this context, where nothing must be finished.

        Other threads cannot interrupt a main thread that waits for a server or a file system.
        """
        self._ends_at_once = True
        try:
            if self.draining:
                raise SystemExit(0)
            yield
        finally:
            self._ends_at_once = False

    def _stop_draining(self) -> None:
        if not self.immediate:
            log.event("draining_ended", seconds=self._drain_seconds)
            self.request_stop()

    def handle_signals(self) -> None:
        """Treat SIGTERM and SIGINT as requests to stop; must be called before any other thread starts."""
        # A signal handler could deadlock: it may interrupt a thread that has the lock that `wake.set` needs.
        self._handles_signals = True
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        threading.Thread(target=self._wait_for_signals, name="signals", daemon=True).start()

    def _wait_for_signals(self) -> None:
        while True:
            number = signal.sigwait(_SIGNALS)
            self.request_stop()
            if self._ends_at_once:
                os._exit(0)
            log.event("worker_stopping", signal=signal.Signals(number).name, at_once=self.immediate)


def _start_timer(seconds: float, act: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
