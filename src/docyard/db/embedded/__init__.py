"""Embedded PostgreSQL: started on demand, shared by all processes of a HOME, stopped when none is attached.

    with EmbeddedServer.attach(home) as server:
        conn = psycopg.connect(server.conninfo())

A guardian process owns the server. Each attached process holds a shared lock; the guardian stops the server
when no process holds it.
"""

from pathlib import Path

from docyard.db.embedded.address import read_address
from docyard.db.embedded.attachment import EmbeddedServer
from docyard.db.embedded.errors import EmbeddedServerError
from docyard.db.embedded.layout import Layout, read_text
from docyard.db.embedded.locks import is_locked

__all__ = ["EmbeddedServer", "EmbeddedServerError", "data_folder", "is_running", "server_version"]


def data_folder(home: Path) -> Path:
    """Return the data folder: in HOME, or elsewhere if PostgreSQL's account cannot access HOME."""
    layout = Layout.for_home(home)
    recorded = read_text(layout.data_record)
    return Path(recorded.strip()) if recorded else layout.data_at_home


def is_running(home: Path) -> bool:
    """Return whether a guardian is running and has started its server; the server may be restarting now."""
    layout = Layout.for_home(home)
    return is_locked(layout.guardian_lock) and read_address(layout) is not None


def server_version(home: Path) -> str | None:
    """Return the version of the running server, or None if no server is running."""
    address = read_address(Layout.for_home(home)) if is_running(home) else None
    return address.version if address else None
