"""A local TCP proxy that can stop forwarding without closing connections, like a dead network."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from docyard.errors import Unavailable

_HOST = "127.0.0.1"
_CHUNK = 65536


class Proxy:
    """A proxy that forwards each connection to the current target port."""

    def __init__(
        self, target_port: Callable[[], int], spared: bytes | None = None, silenced: bytes | None = None
    ) -> None:
        self._target_port = target_port
        self._spared = spared  # connections that send this text stay alive, for example an application name
        self._silenced = silenced  # connections that send this text become silent without being closed
        self.silent_count = 0  # number of connections that became silent for that reason
        self._flowing = _make_open_gate()
        self._guard = threading.Lock()
        self._sockets: set[socket.socket] = set()
        self._always_flowing: set[socket.socket] = set()
        self._listener = socket.create_server((_HOST, 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, name="proxy", daemon=True).start()

    def fall_silent(self, *, new_ones_too: bool = True) -> None:
        """Stop forwarding without closing connections; new connections are affected if `new_ones_too`."""
        silent = self._flowing
        if not new_ones_too:
            self._flowing = _make_open_gate()
        silent.clear()

    def drop(self) -> None:
        """Close every connection, and forward new ones again."""
        with self._guard:
            broken, self._sockets = self._sockets, set()
        for one in broken:
            _close(one)
        self._flowing.set()

    def close(self) -> None:
        """Close the listener and every connection."""
        _close(self._listener)
        self.drop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection((_HOST, self._target_port()), timeout=10)
            except (OSError, Unavailable):
                _close(client)
                continue
            server.settimeout(None)
            with self._guard:
                self._sockets |= {client, server}
            for ends in ((client, server), (server, client)):
                pump = threading.Thread(target=self._pump, args=(*ends, self._flowing), name="proxy", daemon=True)
                pump.start()

    def _pump(self, source: socket.socket, sink: socket.socket, flowing: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(_CHUNK):
                if self._silenced and self._silenced in data:
                    self.silent_count += 1
                    return
                if self._spared and self._spared in data:
                    self._always_flowing |= {source, sink}
                if source not in self._always_flowing:
                    flowing.wait()
                sink.sendall(data)
        # While silent, the end of a connection is not forwarded either.
        flowing.wait()
        for one in (source, sink):
            with self._guard:
                self._sockets.discard(one)
            _close(one)


def _make_open_gate() -> threading.Event:
    event = threading.Event()
    event.set()
    return event


def _close(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
