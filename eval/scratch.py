"""A database of one's own for an evaluation, gone afterwards."""

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
    """An empty, migrated database on an embedded server."""
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
