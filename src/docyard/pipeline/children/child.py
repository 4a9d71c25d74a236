"""The main loop of a confined child: read a question, answer it, until the parent hangs up.

Started as `python -m docyard.pipeline.children.child SOCKET PARENT MEMORY MODEL`, so that nothing of the
parent's own main program is imported again. MODEL is the folder of the embedding model, or empty.
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
from docyard.pipeline.children import tasks, wire
from docyard.pipeline.children.confine import confine, limit_cpu, set_up_heap
from docyard.readers import progress

_TELL_SECONDS = 0.2
# How onnxruntime and OpenCV say that an allocation failed; their exceptions have no type of their own for it.
_NO_ROOM = re.compile(r"bad_alloc|[Ff]ailed to allocate|[Ii]nsufficient memory")
_LOADED_BEFORE_THE_LIMITS = tasks  # so that its memory counts as ours, not as the document's


def main(descriptor: int, parent: int, memory_bytes: int, embedding_model: str) -> None:
    """Confine this process, then serve the parent at the other end of the socket."""
    embedding.choose_model(Path(embedding_model) if embedding_model else None, check=False)
    confine(parent, memory_bytes)
    set_up_heap()
    with socket.socket(fileno=descriptor) as connection:
        wire.send(connection, wire.reply("ready", None))
        _be_quiet()
        _serve(connection)


def _be_quiet() -> None:
    # Until here a fault of the installation was worth showing; from now on documents could write our log.
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)


def _serve(connection: socket.socket) -> None:
    kind = ""
    while kind != "memory":  # a heap that was full once is left behind with its process
        try:
            question = wire.receive(connection)
        except EOFError:
            return
        kind, answer = _answer(question, connection)
        wire.send(connection, answer)


def _answer(question: bytearray, connection: socket.socket) -> tuple[str, bytes]:
    try:
        function, args, seconds = wire.read_request(question)
        limit_cpu(seconds)
        progress.listen(_Teller(connection))
        return "value", _short_enough(wire.reply("value", function(*args)))
    except Failure as failure:
        return "failure", wire.reply("failure", failure)
    except BaseException as error:  # noqa: BLE001 - the parent decides what an unexpected error means
        return _unexpected(error)


def _unexpected(error: BaseException) -> tuple[str, bytes]:
    full = _is_full(error)
    kind = "memory" if full else "error"
    return kind, wire.reply(kind, None if full else (_in_words(error), traceback.format_exc()))


def _is_full(error: BaseException) -> bool:
    """Whether there was no room, as Python, the system (where a file is mapped) or libraries say it."""
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    return isinstance(error, MemoryError) or (
        isinstance(error, Exception) and _NO_ROOM.search(str(error)) is not None
    )


class _Teller:
    """Tells the parent how far a reader has come, but not at every page: it costs both sides time."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._told = clock.monotonic()

    def __call__(self, page: int, pages: int) -> None:
        now = clock.monotonic()
        if now - self._told >= _TELL_SECONDS:
            self._told = now
            wire.send(self._connection, wire.reply("page", (page, pages)))


def _short_enough(answer: bytes) -> bytes:
    if len(answer) > wire.LONGEST_REPLY:
        raise MemoryError
    return answer


def _in_words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:500]


if __name__ == "__main__":
    descriptor, parent, memory_bytes = map(int, sys.argv[1:4])
    main(descriptor, parent, memory_bytes, sys.argv[4])
