"""Embedded PostgreSQL: started when first needed, shared by all processes of a HOME, stopped after the last.

    with EmbeddedServer.attach(home) as server:
        conn = psycopg.connect(server.conninfo())

A guardian process owns the server. Attached processes hold a shared lock by which it knows that it is needed.
"""

from pathlib import Path

from docyard.db.embedded.address import read_address
from docyard.db.embedded.attachment import EmbeddedServer
from docyard.db.embedded.errors import EmbeddedServerError
from docyard.db.embedded.layout import Layout, read_text
from docyard.db.embedded.locks import is_held

__all__ = ["EmbeddedServer", "EmbeddedServerError", "data_folder", "is_running", "server_version"]


def data_folder(home: Path) -> Path:
    """Where the database's files are: in HOME, or outside when PostgreSQL's account cannot enter it."""
    layout = Layout.of(home)
    recorded = read_text(layout.data_record)
    return Path(recorded.strip()) if recorded else layout.data_at_home


def is_running(home: Path) -> bool:
    """Whether a guardian lives and has announced a ready server."""
    layout = Layout.of(home)
    return is_held(layout.guardian_lock) and read_address(layout) is not None


def server_version(home: Path) -> str | None:
    """The version of the running server, or None when none runs."""
    address = read_address(Layout.of(home)) if is_running(home) else None
    return address.version if address else None
