"""The failure for each way in which a child can fail to return a value."""

from __future__ import annotations

import signal

from docyard import log
from docyard.errors import Failure, Retry
from docyard.pipeline.children.protocol import OUT_OF_MEMORY
from docyard.readers.memory import says_out_of_memory


def timeout_failure(seconds: float) -> Retry:
    """Return the failure for a call that exceeded its time limit."""
    return Retry("timeout", f"Reading the file took longer than {seconds:g} seconds.")


def aborted_failure() -> Retry:
    """Return the failure for a call that the parent aborted, for example after a lost lease."""
    return Retry("worker_lost", "The worker stopped reading the file before it was finished.")


def memory_failure() -> Retry:
    """Return the failure for a child that reached its memory limit."""
    return Retry("out_of_memory", "Reading the file took more memory than allowed.")


def invalid_reply_failure(reason: str) -> Retry:
    """Return the failure for a child that sent an invalid reply."""
    return Retry("internal", f"The reader process sent an invalid reply: {reason}")


def exit_failure(code: int | None, seconds: float, printed: str = "") -> Retry:
    """Return the failure for a child that exited or was killed; a negative `code` means a signal.

    `printed` is what it printed. pdfium aborts without a message if an allocation fails; aborts for other
    reasons have one.
    """
    silent_abort = code == -signal.SIGABRT and not printed
    if code == OUT_OF_MEMORY or silent_abort or says_out_of_memory(printed):
        return memory_failure()
    if code is None or code >= 0:
        return Retry("crash", f"The reader process stopped unexpectedly (exit code {code}).")
    if code == -signal.SIGXCPU:
        return Retry("timeout", f"Reading the file took more than {seconds:g} seconds of CPU time.")
    if code == -signal.SIGKILL:  # the parent did not send it, so the kernel's out-of-memory killer did
        return Retry("out_of_memory", "The system was low on memory and killed the reader process.")
    return Retry("crash", f"The reader process crashed (signal {_signal_name(-code)}).")


def start_failure(code: int | None) -> Retry:
    """Return the failure for a child that ended before it was ready."""
    return Retry("internal", f"The reader process could not be started (exit code {code}).")


def read_failure(kind: str, value: object) -> Failure:
    """Return the failure that a child reported in its reply; log an unexpected error with its traceback."""
    match kind, value:
        case (("failure" | "exit"), Failure() as failure):
            return failure
        case "memory", _:
            return memory_failure()
        case "error", (str() as message, str() as traceback):
            log.warn("child_error", error=message, traceback=traceback)
            return Retry("internal", message)
        case _:
            return invalid_reply_failure(f"unknown kind {kind!r}.")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name.removeprefix("SIG")
    except ValueError:
        return str(number)
