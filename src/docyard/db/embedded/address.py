"""The address of the running server, which the guardian publishes in a file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from psycopg.conninfo import make_conninfo

from docyard.db.embedded.layout import Layout, read_text, write_private

DATABASE = "docyard"
HOST = "127.0.0.1"
SUPERUSER = "postgres"
_CONNECT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Address:
    """The address, credentials and process id of a running server."""

    port: int
    password: str
    pid: int
    version: str
    host: str = HOST
    user: str = SUPERUSER
    dbname: str = DATABASE

    def conninfo(self, dbname: str = DATABASE) -> str:
        """Return a connection string that overrides environment variables such as PGHOST and PGSSLMODE."""
        return make_conninfo(
            host=self.host,
            hostaddr=self.host,
            port=self.port,
            user=self.user,
            password=self.password,
            dbname=dbname,
            sslmode="disable",
            gssencmode="disable",
            connect_timeout=_CONNECT_SECONDS,
        )


def publish_address(layout: Layout, address: Address) -> None:
    write_private(layout.address, json.dumps(asdict(address)))


def remove_address(layout: Layout) -> None:
    layout.address.unlink(missing_ok=True)


def read_address(layout: Layout) -> Address | None:
    text = read_text(layout.address)
    return None if text is None else Address(**json.loads(text))
