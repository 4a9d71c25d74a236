"""Errors of the database are reported in one line."""

from __future__ import annotations

import contextlib
import socket

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from docyard.db import Database
from docyard.db.database_errors import translate_errors
from docyard.errors import StorageFull, Unavailable
from tests.chaos.instruments.proxy import Proxy

FULL_DISK = """
DO $$ BEGIN
    RAISE 'could not extend file: %No space left', E'\\n'
        USING ERRCODE = '53100', DETAIL = 'a detail', HINT = 'a hint';
END $$
"""


def _find_closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def test_an_error_of_the_server_has_no_context(database: Database) -> None:
    with pytest.raises(StorageFull) as raised, database.transaction() as conn:
        conn.execute(FULL_DISK.encode())
    expected = "The disk of the database server is full: could not extend file: No space left"
    assert str(raised.value) == expected


@pytest.mark.parametrize("hosts", ["127.0.0.1", "127.0.0.1,127.0.0.1"])
def test_a_refused_connection_is_one_line(hosts: str) -> None:
    db = Database(lambda: f"host={hosts} port={_find_closed_port()} dbname=none")
    with pytest.raises(Unavailable, match=r"^The database cannot be reached: .*Connection refused$"):
        db.connect()
    db.close()


def test_a_cut_connection_is_one_line(database_address: str) -> None:
    port = int(str(conninfo_to_dict(database_address)["port"]))
    with Proxy(lambda: port) as proxy, contextlib.ExitStack() as stack:
        db = Database(lambda: make_conninfo(database_address, port=proxy.port))
        stack.callback(db.close)
        expected = r"^The database cannot be reached: .*server closed the connection unexpectedly$"
        conn = stack.enter_context(db.connect())
        proxy.drop()
        with pytest.raises(Unavailable, match=expected), translate_errors():
            conn.execute("SELECT 1")
