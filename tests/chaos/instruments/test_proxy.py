"""A test of the proxy that simulates a dead network."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from tests.chaos.instruments.proxy import Proxy


@pytest.fixture
def echo_port() -> Iterator[int]:
    """The port of an echo server."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_echo, args=(listener,), daemon=True).start()
        yield int(listener.getsockname()[1])
        listener.shutdown(socket.SHUT_RDWR)


def _echo(listener: socket.socket) -> None:
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        with client:
            while data := client.recv(100):
                client.sendall(data)


def test_a_silent_connection_looks_slow_until_it_is_dropped(echo_port: int) -> None:
    with Proxy(lambda: echo_port) as proxy, _connect(proxy) as client:
        client.sendall(b"one")
        assert client.recv(100) == b"one"
        proxy.fall_silent()
        client.sendall(b"two")  # accepted without an error
        client.settimeout(0.3)
        with pytest.raises(TimeoutError):
            client.recv(100)
        client.settimeout(10)
        proxy.drop()
        assert _receive_end(client) == b""
        with _connect(proxy) as again:
            again.sendall(b"three")
            assert again.recv(100) == b"three"


def test_a_connection_that_sends_a_certain_text_becomes_silent(echo_port: int) -> None:
    with Proxy(lambda: echo_port, silenced=b"two") as proxy, _connect(proxy) as client:
        client.sendall(b"one")
        assert client.recv(100) == b"one"
        client.sendall(b"two")
        client.settimeout(0.3)
        with pytest.raises(TimeoutError):
            client.recv(100)
        assert proxy.silent_count == 1


def _connect(proxy: Proxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxy.port), timeout=10)


def _receive_end(client: socket.socket) -> bytes:
    try:
        return client.recv(100)
    except ConnectionError:
        return b""
