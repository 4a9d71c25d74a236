"""The main loop of a confined child process, which answers requests until the parent closes the connection.

Started as `python -m docyard.pipeline.children.child SOCKET STDERR PARENT MEMORY MODEL`, so that the parent's
main module is not imported. SOCKET and STDERR are file descriptors, PARENT is a process id, MEMORY a limit in
bytes, and MODEL the folder of the embedding model, or empty.
"""

from __future__ import annotations

import os
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
from docyard.readers.memory import is_out_of_memory

_PROGRESS_SECONDS = 0.2  # minimum time between two progress messages
_STDERR = 2
_PRELOADED = tasks  # imported before the limits are set, so that its memory does not count against them


def main(descriptor: int, stderr: int, parent: int, memory_bytes: int, embedding_model: str) -> None:
    """Confine this process, then answer the requests of the parent."""
    embedding.choose_model(Path(embedding_model) if embedding_model else None, check=False)
    confine(parent, memory_bytes)
    set_up_heap()
    with socket.socket(fileno=descriptor) as connection:
        protocol.send(connection, protocol.encode_reply("ready", None))
        # Start-up errors reach the worker's log. Later ones must not, because they could contain document text.
        os.dup2(stderr, _STDERR)
        try:
            _serve(connection)
        except MemoryError:  # not even enough memory for a reply
            os._exit(protocol.OUT_OF_MEMORY)


def _serve(connection: socket.socket) -> None:
    kind = ""
    # After an unexpected error or a failed allocation, libraries may be in any state, so the process ends.
    while kind not in protocol.LAST_REPLIES:
        try:
            request = protocol.receive(connection)
        except EOFError:
            return
        _empty_stderr()
        kind, answer = _answer(request, connection)
        protocol.send(connection, answer)


def _empty_stderr() -> None:
    # The parent looks there for the cause of a crash, which must not be an error of an earlier file.
    os.ftruncate(_STDERR, 0)
    os.lseek(_STDERR, 0, os.SEEK_SET)


def _answer(request: bytearray, connection: socket.socket) -> tuple[str, bytes]:
    try:
        function, args, seconds = protocol.decode_request(request)
        limit_cpu(seconds)
        progress.set_listener(_ProgressReporter(connection))
        return "value", _check_length(protocol.encode_reply("value", function(*args)))
    except BaseException as error:  # noqa: BLE001 - the parent decides what an unexpected error means
        return _report_error(error)


def _report_error(error: BaseException) -> tuple[str, bytes]:
    if is_out_of_memory(error):  # also if a reader took it for damage and raised a failure because of it
        return "memory", protocol.encode_reply("memory", None)
    if isinstance(error, Failure):
        return "failure", protocol.encode_reply("failure", error)
    return "error", protocol.encode_reply("error", (_describe(error), traceback.format_exc()))


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
    descriptor, stderr, parent, memory_bytes = map(int, sys.argv[1:5])
    main(descriptor, stderr, parent, memory_bytes, sys.argv[5])
