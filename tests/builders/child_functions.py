"""Functions for child processes that behave like faulty or malicious readers, or report the process state."""

from __future__ import annotations

import ctypes
import hashlib
import os
import resource
import signal
import socket
import threading
import time
from pathlib import Path

from docyard.errors import Reject, Retry
from docyard.inference import embedding, tagger
from docyard.model.stage_values import Source
from docyard.readers import file_types, progress
from docyard.readers.image_types import IMAGE_TYPES
from docyard.stages import extract
from tests.builders.stage_inputs import make_fetched, make_input


def echo(value: object) -> object:
    """Return the argument."""
    return value


def get_process_id() -> int:
    """Return the process id of the child."""
    return os.getpid()


def segfault() -> None:
    """Read an invalid address."""
    ctypes.string_at(1)


def exit_process(code: int) -> None:
    """Exit without a reply."""
    os._exit(code)


def send_signal(number: int) -> None:
    """Send this signal to the child itself."""
    os.kill(os.getpid(), number)
    threading.Event().wait(10)


def hang(note: Path | None = None) -> None:
    """Hang indefinitely, after writing the process id to the file if one is given."""
    if note:
        note.write_text(str(os.getpid()))
    threading.Event().wait()


def read_whole_file(path: Path) -> str:
    """Return the text and the notes of a file, and for an image a digest of its pixels."""
    media_type = file_types.detect_media_type(path, path.name)
    extracted = extract.run(make_input(Source(path, path.name, None, None), make_fetched(media_type)))
    pixels = ""
    if media_type in IMAGE_TYPES:
        from docyard.readers.images import reader as images

        page = images.decode_page(path, media_type, 1)
        pixels = f"{page.note} {hashlib.sha256(page.image.tobytes()).hexdigest()}"
    return f"{extracted.pages} {extracted.notes} {pixels}"


def exceed_cpu_limit() -> None:
    """Lower the CPU limit of this process, and compute until it is exceeded."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 1, hard))
    while True:
        pass


def exhaust_memory() -> int:
    """Allocate memory until allocation fails."""
    allocated = []
    while True:
        allocated.append(bytearray(16 * 1024 * 1024))


_ALLOCATED: list[bytearray] = []


def leak_memory(size: int) -> int:
    """Allocate memory permanently, as a loaded model does, and return the process id."""
    _ALLOCATED.append(bytearray(size))
    return os.getpid()


def raise_allocation_error() -> None:
    """Fail like a library that reports a failed allocation with a general exception."""
    raise RuntimeError("Non-zero status code: Failed to allocate memory for requested buffer of size 72744960")


def abort_after_printing(message: str) -> None:
    """Abort like a C++ or Rust library, after printing this message."""
    os.write(2, message.encode())
    os.abort()


def raise_after_printing(message: str) -> None:
    """Fail like an extension module that prints the cause of a failed import and raises an error without it."""
    os.write(2, message.encode())
    raise ImportError("import numpy failed")


def print_message(message: str) -> None:
    """Print a message, as libraries do that cannot read a file."""
    os.write(2, message.encode())


_CALLS: list[str] = []


def fail_in_used_child(failure: str) -> int:
    """Fail in this way, but only if the child has run this function before; return the process id."""
    _CALLS.append(failure)
    if len(_CALLS) > 1:
        {"error": raise_type_error, "crash": segfault, "abort": os.abort}[failure]()
    return os.getpid()


def hide_allocation_error() -> None:
    """Take a failed allocation for damage, as many libraries do."""
    try:
        raise_allocation_error()
    except RuntimeError as error:
        raise Reject("corrupt", "The file is damaged.") from error


def raise_type_error() -> None:
    """Fail with an unexpected exception, as a bug does."""
    raise TypeError("not like this")


def reject() -> None:
    """Raise a Reject."""
    raise Reject("corrupt", "The file is damaged.")


def retry() -> None:
    """Raise a Retry."""
    raise Retry("network", "The line is dead.")


def return_unpicklable() -> object:
    """Return a value that cannot be pickled."""
    return threading.Lock()


def return_code_runner() -> object:
    """Return a value that would run code when it is unpickled."""
    return _RunsCode()


class _RunsCode:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (os.putenv, ("DOCYARD_PWNED",))


def return_bytes(count: int) -> bytes:
    """Return this many zero bytes."""
    return bytes(count)


def announce_huge_reply() -> None:
    """Announce an extremely long reply, as a compromised child might, and hang."""
    for descriptor in range(3, 256):
        try:
            socket.socket(fileno=os.dup(descriptor)).sendall(b"\xff" * 8)
        except OSError:
            continue
    threading.Event().wait()


def send_partial_reply() -> None:
    """Announce a reply of a hundred bytes, send one byte, and hang."""
    for descriptor in range(3, 256):
        try:
            socket.socket(fileno=os.dup(descriptor)).sendall(b"\x64" + bytes(7) + b"x")
        except OSError:
            continue
    threading.Event().wait()


def read_environment() -> dict[str, str]:
    """Return the environment variables of this process."""
    return dict(os.environ)


def read_limits() -> dict[str, tuple[int, int]]:
    """Return the soft and hard resource limits of this process."""
    names = ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_CORE", "RLIMIT_FSIZE", "RLIMIT_NOFILE")
    return {name: resource.getrlimit(getattr(resource, name)) for name in names}


def list_ignored_signals() -> list[bool]:
    """Return whether SIGINT and SIGTERM are ignored."""
    return [signal.getsignal(number) == signal.SIG_IGN for number in (signal.SIGINT, signal.SIGTERM)]


def list_standard_streams() -> list[str]:
    """Return the paths of standard input, output and error."""
    return [str(Path(f"/proc/self/fd/{number}").readlink()) for number in range(3)]


def is_loaded(module: str) -> bool:
    """Return whether the module is loaded in this process."""
    import sys

    return module in sys.modules


def count_concurrent_calls(folder: Path, seconds: float) -> int:
    """Return how many children run this function at the same time; each creates a file in the folder."""
    marker = folder / str(os.getpid())
    marker.touch()
    threading.Event().wait(seconds)
    count = len(list(folder.iterdir()))
    marker.unlink()
    return count


def read_slowly(pages: int) -> int:
    """Report progress for each page, slowly enough that some reports are sent; return the page count."""
    for page in range(1, pages + 1):
        started = time.monotonic()
        while time.monotonic() - started < 0.02:
            pass
        progress.report_page(page, pages)
    return pages


def read_model_names() -> tuple[str, str]:
    """Return the name of the embedding model, and the folder of the model on which the tagger is based."""
    chosen, base = embedding.find_model(), tagger._base()
    return (chosen.name if chosen else "", str(base))
