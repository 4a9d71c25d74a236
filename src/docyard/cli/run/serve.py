"""`docyard serve`: run the web app."""

from __future__ import annotations

import socket
import threading
from dataclasses import replace

import click

from docyard import log
from docyard.cli.installation import allowed_hosts, opened, web_database
from docyard.cli.secret import seal_of
from docyard.model.limits import PICTURES_AT_ONCE, Limits
from docyard.pipeline.children import ChildPool
from docyard.search import meaning_of
from docyard.settings import Settings
from docyard.store.connections import Bounds
from docyard.web.context import Web
from docyard.web.server import inherited, listen, serve

_SEARCHES_PER_CHILD = 100_000  # it reads no files, so it rarely needs a restart


@click.command("serve")
@click.option("--host", help="Address to listen on (default: DOCYARD_HOST, else 127.0.0.1).")
@click.option("--port", type=int, help="Port to listen on (default: DOCYARD_PORT, else 8400).")
@click.option(
    "--listener",
    type=int,
    hidden=True,
    help="File descriptor of the listening socket that `docyard up` keeps open across restarts.",
)
@click.pass_obj
def serve_command(settings: Settings, host: str | None, port: int | None, listener: int | None) -> None:
    """Run the web app, which serves the pages and the HTTP API."""
    log.configure(settings.log_level, as_json=settings.log_json)
    with opened(settings) as installation:
        db = web_database(installation)
        children = ChildPool(PICTURES_AT_ONCE, installation.limits)
        embedder = _start_embedder(installation.limits)
        web = Web(
            db=db,
            blobs=installation.blobs,
            limits=installation.limits,
            children=children,
            allowed_hosts=allowed_hosts(settings),
            secure_cookies=settings.public_url.startswith("https:"),
            metrics_token=settings.metrics_token,
            embedder=embedder,
            seal=seal_of(settings),
            bounds=Bounds(settings.llm_concurrency, settings.llm_rate),
        )
        try:
            with _bind(settings, host, port) if listener is None else inherited(listener) as bound_socket:
                serve(web, bound_socket)
        finally:
            children.close()
            embedder.close()
            db.close()


def _bind(settings: Settings, host: str | None, port: int | None) -> socket.socket:
    return listen(host or settings.host, settings.port if port is None else port)


def _start_embedder(limits: Limits) -> ChildPool:
    """Start a child process that keeps the embedding model loaded; load it now for the first search."""
    pool = ChildPool(1, replace(limits, child_documents=_SEARCHES_PER_CHILD))
    threading.Thread(target=meaning_of, args=(pool, "ready"), name="warm-up", daemon=True).start()
    return pool
