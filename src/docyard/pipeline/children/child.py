"""The main loop of a confined child process, which answers requests until the parent closes the connection.

Started as `python -m docyard.pipeline.children.child SOCKET PARENT MEMORY MODEL`, so that the parent's main
module is not imported. SOCKET is a file descriptor, PARENT a process id, MEMORY a limit in bytes, and MODEL
the folder of the embedding model, or empty.
"""

from __future__ import annotations

import errno
import os
import re
import socket
import sys
import traceback
from pathlib import Path

from docyard import clock
from docyard.errors import Failure
from docyard.inference import embedding
from docyard.pipeline.children import protocol, tasks
from docyard.pipeline.children.confinement import confine, limit_cpu, set_up_heap
from docyard.readers import progress

_PROGRESS_SECONDS = 0.2  # minimum time between two progress messages
# Error messages of onnxruntime and OpenCV, which have no exception type for a failed allocation.
_ALLOCATION_FAILED = re.compile(r"bad_alloc|[Ff]ailed to allocate|[Ii]nsufficient memory")
_PRELOADED = tasks  # imported before the limits are set, so that its memory does not count against them


def main(descriptor: int, parent: int, memory_bytes: int, embedding_model: str) -> None:
    """Confine this process, then answer the requests of the parent."""
    embedding.choose_model(Path(embedding_model) if embedding_model else None, check=False)
    confine(parent, memory_bytes)
    set_up_heap()
    with socket.socket(fileno=descriptor) as connection:
        protocol.send(connection, protocol.encode_reply("ready", None))
        _discard_stderr()
        _serve(connection)


def _discard_stderr() -> None:
    # Start-up errors reach the worker's log. Later ones must not, because they could contain document text.
    with Path(os.devnull).open("wb") as devnull:
        os.dup2(devnull.fileno(), 2)


def _serve(connection: socket.socket) -> None:
    kind = ""
    while kind != "memory":  # after an out-of-memory error the process ends, which frees its heap
        try:
            request = protocol.receive(connection)
        except EOFError:
            return
        kind, answer = _answer(request, connection)
        protocol.send(connection, answer)


def _answer(request: bytearray, connection: socket.socket) -> tuple[str, bytes]:
    try:
        function, args, seconds = protocol.decode_request(request)
        limit_cpu(seconds)
        progress.set_listener(_ProgressReporter(connection))
        return "value", _check_length(protocol.encode_reply("value", function(*args)))
    except Failure as failure:
        return "failure", protocol.encode_reply("failure", failure)
    except BaseException as error:  # noqa: BLE001 - the parent decides what an unexpected error means
        return _report_error(error)


def _report_error(error: BaseException) -> tuple[str, bytes]:
    full = _is_out_of_memory(error)
    kind = "memory" if full else "error"
    return kind, protocol.encode_reply(kind, None if full else (_describe(error), traceback.format_exc()))


def _is_out_of_memory(error: BaseException) -> bool:
    """Return whether an allocation failed: in Python, in a system call (such as mmap) or in a library."""
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    return isinstance(error, MemoryError) or (
        isinstance(error, Exception) and _ALLOCATION_FAILED.search(str(error)) is not None
    )


class _ProgressReporter:
    """A progress listener that sends page numbers to the parent, at most once per `_PROGRESS_SECONDS`."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._sent_at = clock.monotonic()

    def __call__(self, page: int, pages: int) -> None:
        now = clock.monotonic()
        if now - self._sent_at >= _PROGRESS_SECONDS:
            self._sent_at = now
            protocol.send(self._connection, protocol.encode_reply("page", (page, pages)))


def _check_length(answer: bytes) -> bytes:
    if len(answer) > protocol.MAX_REPLY_BYTES:
        raise MemoryError
    return answer


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:500]


if __name__ == "__main__":
    descriptor, parent, memory_bytes = map(int, sys.argv[1:4])
    main(descriptor, parent, memory_bytes, sys.argv[4])
