"""The listening socket and the probes."""

from __future__ import annotations

import socket

import pytest

from docyard.db import Database
from docyard.errors import SetupError
from docyard.web.server import listen
from tests.web.site import Client


def test_reports_port_in_use() -> None:
    with listen("127.0.0.1", 0) as first:
        first.listen()
        with pytest.raises(SetupError, match=r"Cannot listen on 127\.0\.0\.1 port \d+: Address already in use"):
            listen("127.0.0.1", first.getsockname()[1])


def test_listening_socket_allows_tcp_nodelay() -> None:
    with listen("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP, "asyncio sets TCP_NODELAY only for this protocol"


def test_not_ready_with_another_schema_version(editor: Client, database: Database) -> None:
    with database.transaction() as conn:
        conn.execute("GRANT SELECT ON schema_migrations TO docyard_web")
    assert editor.get("/readyz").status_code == 200
    with database.transaction() as conn:
        conn.execute("INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, 'later', 'x')")
    response = editor.get("/readyz")
    assert response.status_code == 503
    assert "9999" in response.text
    assert editor.get("/healthz").status_code == 200
