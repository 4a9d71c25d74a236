"""What parent and child say to each other: one length, then that many bytes, over a socket pair.

The child reads hostile files, so the parent trusts nothing it says: every wait has an end, every size a
limit, and a reply can only become plain values and the few classes of ours that stages give.
"""

from __future__ import annotations

import importlib
import inspect
import io
import pickle  # noqa: TID251 - replies are read by _PlainUnpickler, which can make nothing that runs
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from functools import cache
from types import ModuleType

from docyard import clock, errors
from docyard.model import facts, values
from docyard.model.text import pages

LONGEST_REPLY = 512 * 1024 * 1024
_LENGTH = struct.Struct("<Q")


class TooLong(Exception):
    """The reply is longer than the parent is willing to hold."""


def send(connection: socket.socket, message: bytes, deadline: float | None = None) -> None:
    """Send a message whole, or raise TimeoutError at the deadline."""
    connection.settimeout(_remaining(deadline))
    connection.sendall(_LENGTH.pack(len(message)))
    connection.sendall(message)


def receive(connection: socket.socket, deadline: float | None = None) -> bytearray:
    """Receive a message whole; TimeoutError at the deadline, EOFError when the other side is gone."""
    (length,) = _LENGTH.unpack(_exactly(connection, _LENGTH.size, deadline))
    if length > LONGEST_REPLY:
        raise TooLong
    return _exactly(connection, length, deadline)


def request(function: Callable[..., object], args: tuple[object, ...], seconds: float) -> bytes:
    """A question for a child: a function it can import by name, its arguments, and the seconds it has."""
    if function.__module__ == "__main__" or "<" in function.__qualname__:
        raise ValueError(f"a child cannot import {function.__module__}.{function.__qualname__}")
    return pickle.dumps((function.__module__, function.__qualname__, args, seconds))


def read_request(message: bytearray) -> tuple[Callable[..., object], tuple[object, ...], float]:
    """The parent's question, in the child."""
    module, name, args, seconds = pickle.loads(message)  # noqa: S301 - the parent is trusted, not the reverse
    return getattr(importlib.import_module(module), name), args, seconds


def reply(kind: str, value: object) -> bytes:
    """A child's answer: 'value', 'failure', 'memory' or 'error'."""
    return pickle.dumps((kind, value))


def read_reply(message: bytearray) -> tuple[str, object]:
    """A child's answer, in the parent; ValueError when it is not one."""
    try:
        kind, value = _PlainUnpickler(io.BytesIO(message)).load()
    except Exception as error:  # a garbled pickle may raise nearly anything
        raise ValueError(f"{type(error).__name__}: {error}") from error
    return kind, value


@cache
def _allowed() -> dict[tuple[str, str], type]:
    """Our values and failures, and the dataclasses of stages that give values of their own."""
    from docyard.stages import STAGES  # the parent of a child that only embeds does not need them

    found = {name: each for module in (facts, pages, values, errors) for name, each in _classes(module)}
    for stage in STAGES:
        defined = _classes(sys.modules[stage.gives.__module__])
        found.update((name, each) for name, each in defined if is_dataclass(each))
    return found


def _classes(module: ModuleType) -> Iterator[tuple[tuple[str, str], type]]:
    for name, found in inspect.getmembers(module, inspect.isclass):
        if found.__module__ == module.__name__:
            yield (module.__name__, name), found


class _PlainUnpickler(pickle.Unpickler):
    """Makes values and failures of ours and nothing else: unpickling can otherwise run any code."""

    def find_class(self, module_name: str, global_name: str, /) -> type:
        try:
            return _allowed()[module_name, global_name]
        except KeyError:
            raise pickle.UnpicklingError(f"a child may not send {module_name}.{global_name}") from None


def _exactly(connection: socket.socket, length: int, deadline: float | None) -> bytearray:
    message = bytearray(length)
    view = memoryview(message)
    while view:
        connection.settimeout(_remaining(deadline))
        try:
            count = connection.recv_into(view)
        except ConnectionError as error:
            raise EOFError from error
        if count == 0:
            raise EOFError
        view = view[count:]
    return message


def _remaining(deadline: float | None) -> float | None:
    # Zero would mean 'do not block', and fail where a ready answer only has to be picked up.
    return None if deadline is None else max(deadline - clock.monotonic(), 0.001)
