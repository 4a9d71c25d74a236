"""Serving the application; live streams never keep it from stopping."""

from __future__ import annotations

import errno
import socket

import uvicorn

from docyard import log
from docyard.errors import Setup
from docyard.web.app import create_app
from docyard.web.context import Web
from docyard.web.live import Hub

_GRACE_SECONDS = 5  # for requests under way; then they are cut off
_WAITING_ROOM = 2048  # connections that wait while the app starts, or starts again


class WebServer(uvicorn.Server):
    """A server that lets live streams go before it waits for the rest."""

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
        """Stop; called in the loop once a signal or `should_exit` asked for it."""
        self._hub.release()
        await super().shutdown(sockets)


class PortTaken(Setup):
    """Another program listens there."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket at that address, or words that say why not; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = _tcp_socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(_WAITING_ROOM)
    except OSError as error:
        listener.close()
        kind = PortTaken if error.errno == errno.EADDRINUSE else Setup
        raise kind(f"Cannot listen on {host} port {port}: {error.strerror}.") from error
    return listener


def inherited(descriptor: int) -> socket.socket:
    """The listening socket that the parent process opened and goes on holding."""
    opened = socket.socket(fileno=descriptor)
    return _tcp_socket(opened.family, opened.detach())


def _tcp_socket(family: int, descriptor: int | None = None) -> socket.socket:
    # asyncio turns Nagle's delay off only where the protocol is named; without it every answer waits 40 ms.
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=descriptor)


def serve(web: Web, listener: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT."""
    host, port = listener.getsockname()[:2]
    log.event("web_started", host=host, port=port)
    WebServer(web).run(sockets=[listener])
    log.event("web_stopped")
