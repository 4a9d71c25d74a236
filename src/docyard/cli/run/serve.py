"""`docyard serve`: run the web app."""

from __future__ import annotations

import socket
import threading
from dataclasses import replace

import click

from docyard import log
from docyard.cli.blob_store import await_blobs
from docyard.cli.installation import allowed_hosts, open_installation, open_web_database
from docyard.cli.secret import load_seal
from docyard.model.limits import CONCURRENT_RENDERS, Limits
from docyard.pipeline.children import ChildPool
from docyard.search import embed_query
from docyard.settings import Settings
from docyard.store.connections import PoolLimits
from docyard.web.context import Web
from docyard.web.server import inherited_socket, listen, serve

_SEARCHES_PER_CHILD = 100_000  # the child reads no files, so it rarely needs a restart


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
    with open_installation(settings) as installation:
        blobs = await_blobs(installation, threading.Event())  # SIGTERM ends the process
        db = open_web_database(installation)
        children = ChildPool(CONCURRENT_RENDERS, installation.limits)
        embedder = _start_embedder(installation.limits)
        web = Web(
            db=db,
            blobs=blobs,
            limits=installation.limits,
            children=children,
            allowed_hosts=allowed_hosts(settings),
            secure_cookies=settings.public_url.startswith("https:"),
            metrics_token=settings.metrics_token,
            embedder=embedder,
            seal=load_seal(settings),
            bounds=PoolLimits(settings.llm_concurrency, settings.llm_rate),
        )
        try:
            with _bind(settings, host, port) if listener is None else inherited_socket(listener) as bound_socket:
                serve(web, bound_socket)
        finally:
            children.close()
            embedder.close()
            db.close()


def _bind(settings: Settings, host: str | None, port: int | None) -> socket.socket:
    return listen(host or settings.host, settings.port if port is None else port)


def _start_embedder(limits: Limits) -> ChildPool:
    """Return a pool of one child process, which loads the embedding model now, before the first search."""
    pool = ChildPool(1, replace(limits, child_documents=_SEARCHES_PER_CHILD))
    threading.Thread(target=embed_query, args=(pool, "ready"), name="warm-up", daemon=True).start()
    return pool
