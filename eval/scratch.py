"""Temporary database for an evaluation."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from docyard.db import Database
from docyard.db.embedded import EmbeddedServer
from docyard.pipeline.pools import install


@contextmanager
def scratch_database() -> Iterator[Database]:
    """Yield an empty, migrated database on an embedded server, and remove it afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="docyard-eval-") as folder,
        EmbeddedServer.attach(Path(folder) / "home") as server,
    ):
        database = Database(server.conninfo)
        with database.connect() as conn:
            install(conn)
        try:
            yield database
        finally:
            database.close()
