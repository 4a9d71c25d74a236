"""What it means for the document when a child does not answer with a value."""

from __future__ import annotations

import signal

from docyard import log
from docyard.errors import Failure, Retry


def timed_out(seconds: float) -> Retry:
    """The parent's clock ran out."""
    return Retry("timeout", f"Reading the file took longer than {seconds:g} seconds.")


def given_up() -> Retry:
    """The caller itself ended the work: its lease was lost, or someone cancelled."""
    return Retry("worker_lost", "The work was stopped before it was done.")


def out_of_memory() -> Retry:
    """The child met its memory limit."""
    return Retry("out_of_memory", "Reading the file took more memory than allowed.")


def unusable(reason: str) -> Retry:
    """The child answered with something that is no answer."""
    return Retry("internal", f"The reader gave an unusable answer: {reason}")


def died(code: int | None, seconds: float) -> Retry:
    """The child ended by itself or by the kernel's hand; `code` is as subprocess gives it."""
    if code is None or code >= 0:
        return Retry("crash", f"The reader stopped unexpectedly (exit code {code}).")
    if code == -signal.SIGXCPU:
        return Retry("timeout", f"Reading the file took more than {seconds:g} seconds of computing.")
    if code == -signal.SIGKILL:  # nobody here sent it, so the kernel needed the memory
        return Retry("out_of_memory", "The reader was ended by the system, which had too little memory.")
    return Retry("crash", f"The reader crashed (signal {_signal_name(-code)}).")


def not_started(code: int | None) -> Retry:
    """The child ended before it was ready."""
    return Retry("internal", f"The reader could not be started (exit code {code}).")


def reported(kind: str, value: object) -> Failure:
    """The failure a child reported, as it should be raised here."""
    match kind, value:
        case "failure", Failure() as failure:
            return failure
        case "memory", _:
            return out_of_memory()
        case "error", (str() as words, str() as traceback):
            log.warn("child_error", error=words, traceback=traceback)
            return Retry("internal", words)
        case _:
            return unusable(f"{kind!r}.")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name.removeprefix("SIG")
    except ValueError:
        return str(number)
