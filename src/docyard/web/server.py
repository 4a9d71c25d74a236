"""The uvicorn server, its listening socket and its shutdown."""

from __future__ import annotations

import errno
import socket

import uvicorn

from docyard import log
from docyard.errors import SetupError
from docyard.web.app import create_app
from docyard.web.context import Web
from docyard.web.live import Hub

_GRACE_SECONDS = 5  # for running requests, which are then cut off
_BACKLOG = 2048  # connections queued while the application starts or restarts


class WebServer(uvicorn.Server):
    """A server that closes live streams before it waits for running requests."""

    def __init__(self, web: Web) -> None:
        app = create_app(web)
        self._hub: Hub = app.state.hub
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=_GRACE_SECONDS,
                lifespan="on",
            )
        )

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the live streams, then shut down."""
        self._hub.close_subscriptions()
        await super().shutdown(sockets)


class PortInUse(SetupError):
    """Another program listens on this port."""


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; raise SetupError if that fails. Port 0 selects a free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = _tcp_socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        kind = PortInUse if error.errno == errno.EADDRINUSE else SetupError
        raise kind(f"Cannot listen on {host} port {port}: {error.strerror}.") from error
    return listener


def inherited_socket(descriptor: int) -> socket.socket:
    """Return the listening socket that the parent process opened and keeps open."""
    opened = socket.socket(fileno=descriptor)
    return _tcp_socket(opened.family, opened.detach())


def _tcp_socket(family: int, descriptor: int | None = None) -> socket.socket:
    # With any other protocol number, asyncio leaves Nagle's algorithm on, which can delay responses by 40 ms.
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=descriptor)


def serve(web: Web, listener: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT."""
    host, port = listener.getsockname()[:2]
    log.event("web_started", host=host, port=port)
    WebServer(web).run(sockets=[listener])
    log.event("web_stopped")
