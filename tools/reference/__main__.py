"""Write the generated pages of docs/reference; a test compares them with the code."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from docyard.db import Connection, Database
from docyard.db.embedded import EmbeddedServer
from docyard.pipeline.pools import install
from tools.reference import api, commands, metrics, settings, sql

FOLDER = Path(__file__).parent.parent.parent / "docs" / "reference"


def main() -> None:
    """Write every page."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with _new_database() as conn:
        for name, text in pages(conn).items():
            (FOLDER / name).write_text(text)


def pages(conn: Connection) -> dict[str, str]:
    """Return the text of each page by file name; `conn` must be connected to a new installation."""
    return {
        "api.md": api.render(),
        "commands.md": commands.render(),
        "metrics.md": metrics.render(conn),
        "settings.md": settings.render(),
        "sql.md": sql.render(conn),
    }


@contextmanager
def _new_database() -> Iterator[Connection]:
    with tempfile.TemporaryDirectory(prefix="docyard-reference-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # if this runs as root, the server runs as another user
        with (
            EmbeddedServer.attach(Path(folder) / "home") as server,
            Database(server.conninfo).connect() as conn,
        ):
            install(conn)
            yield conn


if __name__ == "__main__":
    main()
