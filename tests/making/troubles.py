"""Everything a reader of files may do wrong, as functions a child can be asked to run."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import socket
import threading
import time
from pathlib import Path

from docyard.errors import Reject, Retry
from docyard.inference import embedding, tagger
from docyard.readers import progress


def echo(value: object) -> object:
    """Nothing wrong at all."""
    return value


def process_id() -> int:
    """Which child is this?"""
    return os.getpid()


def segfault() -> None:
    """Read where nothing is."""
    ctypes.string_at(1)


def leave(code: int) -> None:
    """End the process without a word."""
    os._exit(code)


def die_by(number: int) -> None:
    """Die by a signal."""
    os.kill(os.getpid(), number)
    threading.Event().wait(10)


def hang(note: Path | None = None) -> None:
    """Never come back; write down first who it is that hangs."""
    if note:
        note.write_text(str(os.getpid()))
    threading.Event().wait()


def compute_past_the_limit() -> None:
    """Burn the processor until the limit of this task, brought near, is met."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 1, hard))
    while True:
        pass


def hoard() -> int:
    """Take memory until there is no more."""
    held = []
    while True:
        held.append(bytearray(16 * 1024 * 1024))


_KEPT: list[bytearray] = []


def keep(size: int) -> int:
    """Take memory and never give it back, as a loaded model does; gives which child it was."""
    _KEPT.append(bytearray(size))
    return os.getpid()


def lack_room_in_words() -> None:
    """Fail as a library does whose exceptions know nothing of memory."""
    raise RuntimeError(
        "Non-zero status code: Failed to allocate memory for requested buffer of size 72744960"
    )


def raise_type_error() -> None:
    """Fail as a bug fails."""
    raise TypeError("not like this")


def reject() -> None:
    """Fail on purpose, for good."""
    raise Reject("corrupt", "The file is damaged.")


def retry() -> None:
    """Fail on purpose, for now."""
    raise Retry("network", "The line is dead.")


def unpicklable() -> object:
    """Give what cannot cross a process border."""
    return threading.Lock()


def foreign() -> object:
    """Give what can cross, but would run code on the other side."""
    return _RunsCode()


class _RunsCode:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (os.putenv, ("DOCYARD_PWNED",))


def many_bytes(count: int) -> bytes:
    """Give a lot."""
    return bytes(count)


def promise_too_much() -> None:
    """Announce an answer without end, as a child that was taken over might."""
    for descriptor in range(3, 256):
        try:
            socket.socket(fileno=os.dup(descriptor)).sendall(b"\xff" * 8)
        except OSError:
            continue
    threading.Event().wait()


def answer_half() -> None:
    """Announce a hundred bytes and send one."""
    for descriptor in range(3, 256):
        try:
            socket.socket(fileno=os.dup(descriptor)).sendall(b"\x64" + bytes(7) + b"x")
        except OSError:
            continue
    threading.Event().wait()


def environment() -> dict[str, str]:
    """What this process knows from its parent."""
    return dict(os.environ)


def limits() -> dict[str, tuple[int, int]]:
    """The limits of this process."""
    names = ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_CORE", "RLIMIT_FSIZE", "RLIMIT_NOFILE")
    return {name: resource.getrlimit(getattr(resource, name)) for name in names}


def ignored_signals() -> list[bool]:
    """Whether the polite signals go unheard."""
    return [signal.getsignal(number) == signal.SIG_IGN for number in (signal.SIGINT, signal.SIGTERM)]


def standard_streams() -> list[str]:
    """Where standard input, output and error lead."""
    return [str(Path(f"/proc/self/fd/{number}").readlink()) for number in range(3)]


def loaded(module: str) -> bool:
    """Whether the module is loaded here."""
    import sys

    return module in sys.modules


def touch_while_working(folder: Path, seconds: float) -> int:
    """How many others were at work at the same moment."""
    mine = folder / str(os.getpid())
    mine.touch()
    threading.Event().wait(seconds)
    count = len(list(folder.iterdir()))
    mine.unlink()
    return count


def read_slowly(pages: int) -> int:
    """Read so many pages and tell of each; long enough that some of it is heard."""
    for page in range(1, pages + 1):
        began = time.monotonic()
        while time.monotonic() - began < 0.02:
            pass
        progress.report(page, pages)
    return pages


def model_names() -> tuple[str, str]:
    """The model that makes vectors here, and the folder of the one that the tagger is built on."""
    chosen, base = embedding.find_model(), tagger._base()
    return (chosen.name if chosen else "", str(base))
