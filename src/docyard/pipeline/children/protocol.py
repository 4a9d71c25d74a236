"""The protocol between parent and child: length-prefixed pickles over a socket pair.

The child reads untrusted files, so the parent does not trust it: every wait has a deadline, every message a
size limit, and a reply can contain only plain values, failures and the values of stages.
"""

from __future__ import annotations

import importlib
import inspect
import io
import pickle  # noqa: TID251 - replies are read by _RestrictedUnpickler, which allows few classes
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from functools import cache
from types import ModuleType

from docyard import clock, errors
from docyard.model import facts, stage_values
from docyard.model.text import pages

MAX_REPLY_BYTES = 512 * 1024 * 1024
OUT_OF_MEMORY = 117  # exit code of a child that had no memory for a reply
LAST_REPLIES = ("memory", "error")  # kinds of replies after which a child ends
_LENGTH = struct.Struct("<Q")


class ReplyTooLong(Exception):
    """The message is longer than `MAX_REPLY_BYTES`."""


def send(connection: socket.socket, message: bytes, deadline: float | None = None) -> None:
    """Send a message; raise TimeoutError at the deadline."""
    connection.settimeout(_get_timeout(deadline))
    connection.sendall(_LENGTH.pack(len(message)))
    connection.sendall(message)


def receive(connection: socket.socket, deadline: float | None = None) -> bytearray:
    """Receive a message.

    Raises TimeoutError at the deadline, EOFError if the connection is closed, and ReplyTooLong.
    """
    (length,) = _LENGTH.unpack(_receive_exactly(connection, _LENGTH.size, deadline))
    if length > MAX_REPLY_BYTES:
        raise ReplyTooLong
    return _receive_exactly(connection, length, deadline)


def encode_request(function: Callable[..., object], args: tuple[object, ...], seconds: float) -> bytes:
    """Encode a request to a child: the name of an importable function, its arguments and its time limit."""
    if function.__module__ == "__main__" or "<" in function.__qualname__:
        raise ValueError(f"a child cannot import {function.__module__}.{function.__qualname__}")
    return pickle.dumps((function.__module__, function.__qualname__, args, seconds))


def decode_request(message: bytearray) -> tuple[Callable[..., object], tuple[object, ...], float]:
    """Decode a request from the parent into function, arguments and time limit."""
    module, name, args, seconds = pickle.loads(message)  # noqa: S301 - the child trusts the parent
    return getattr(importlib.import_module(module), name), args, seconds


def encode_reply(kind: str, value: object) -> bytes:
    """Encode a reply of kind 'ready', 'page', 'value', 'failure', 'memory' or 'error'."""
    return pickle.dumps((kind, value))


def decode_reply(message: bytearray) -> tuple[str, object]:
    """Decode a reply from a child into kind and value; raise ValueError if it is not valid."""
    try:
        kind, value = _RestrictedUnpickler(io.BytesIO(message)).load()
    except Exception as error:  # a corrupt pickle may raise almost any exception
        raise ValueError(f"{type(error).__name__}: {error}") from error
    return kind, value


@cache
def _list_allowed_classes() -> dict[tuple[str, str], type]:
    """Return the classes that replies may contain, by module and name."""
    from docyard.stages import STAGES  # imported late, because a parent that only embeds does not need it

    found = {name: each for module in (facts, pages, stage_values, errors) for name, each in _iterate_classes(module)}
    for stage in STAGES:
        defined = _iterate_classes(sys.modules[stage.output.__module__])
        found.update((name, each) for name, each in defined if is_dataclass(each))
    return found


def _iterate_classes(module: ModuleType) -> Iterator[tuple[tuple[str, str], type]]:
    for name, found in inspect.getmembers(module, inspect.isclass):
        if found.__module__ == module.__name__:
            yield (module.__name__, name), found


class _RestrictedUnpickler(pickle.Unpickler):
    """An unpickler limited to the allowed classes, because unrestricted unpickling can run any code."""

    def find_class(self, module_name: str, global_name: str, /) -> type:
        try:
            return _list_allowed_classes()[module_name, global_name]
        except KeyError:
            raise pickle.UnpicklingError(f"a reply must not contain {module_name}.{global_name}") from None


def _receive_exactly(connection: socket.socket, length: int, deadline: float | None) -> bytearray:
    message = bytearray(length)
    view = memoryview(message)
    while view:
        connection.settimeout(_get_timeout(deadline))
        try:
            count = connection.recv_into(view)
        except ConnectionError as error:
            raise EOFError from error
        if count == 0:
            raise EOFError
        view = view[count:]
    return message


def _get_timeout(deadline: float | None) -> float | None:
    # A timeout of zero would mean non-blocking, which fails even if the data is about to arrive.
    return None if deadline is None else max(deadline - clock.monotonic(), 0.001)
