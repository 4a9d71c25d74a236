"""Opening an installation whose server is starting, full or gone."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from docyard.cli.installation import open_installation
from docyard.db import BoundedConnection, Connection
from docyard.errors import Unavailable
from docyard.pipeline import pools
from docyard.pipeline.pools import install, require_installed
from docyard.settings import Settings
from tests.chaos.instruments.proxy import Proxy


def _make_error(sqlstate: str, message: str) -> bytes:
    """Return an error message of the PostgreSQL protocol."""
    fields = "".join(f"{part}\0" for part in ("SFATAL", "VFATAL", f"C{sqlstate}", f"M{message}")).encode() + b"\0"
    return b"E" + (len(fields) + 4).to_bytes(4, "big") + fields


STARTING = _make_error("57P03", "the database system is starting up")
FULL = _make_error("53300", "sorry, too many clients already")
CUT = b""


@contextmanager
def _refuse_connections(answer: bytes) -> Iterator[int]:
    """Yield the port of a server that answers every connection in this way and closes it."""

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                with client:
                    client.recv(1024)
                    client.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        yield int(listener.getsockname()[1])
        listener.shutdown(socket.SHUT_RDWR)


def _make_settings(tmp_path: Path, address: str, port: int) -> Settings:
    return Settings(home=tmp_path / "home", database_url=make_conninfo(address, port=port))


@pytest.mark.parametrize("answer", [STARTING, FULL, CUT], ids=["starting", "full", "cut"])
def test_opening_waits_for_a_server_that_is_not_ready(tmp_path: Path, database_address: str, answer: bytes) -> None:
    port = int(str(conninfo_to_dict(database_address)["port"]))
    with _refuse_connections(answer) as refusing:
        targets = iter([refusing, refusing])
        with (
            Proxy(lambda: next(targets, port)) as proxy,
            open_installation(_make_settings(tmp_path, database_address, proxy.port)) as installation,
            installation.db.transaction() as conn,
        ):
            assert conn.execute("SELECT 1 AS one").fetchone() == {"one": 1}


@pytest.mark.parametrize("answer", [STARTING, FULL, CUT], ids=["starting", "full", "cut"])
def test_opening_ends_if_the_server_does_not_become_ready(
    tmp_path: Path, database_address: str, monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    monkeypatch.setattr("docyard.cli.installation._STARTING_SECONDS", 0.2)
    with (
        _refuse_connections(answer) as refusing,
        pytest.raises(Unavailable, match="cannot be reached"),
        open_installation(_make_settings(tmp_path, database_address, refusing)),
    ):
        pass


def test_opening_tries_again_if_the_connection_is_cut(
    tmp_path: Path, database_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(str(conninfo_to_dict(database_address)["port"]))
    cuts = iter([True])

    def cut_once(conn: Connection) -> None:
        if next(cuts, False):
            proxy.drop()
        require_installed(conn)

    monkeypatch.setattr(pools, "require_installed", cut_once)
    with (
        Proxy(lambda: port) as proxy,
        open_installation(_make_settings(tmp_path, database_address, proxy.port)) as installation,
        installation.db.transaction() as conn,
    ):
        assert conn.execute("SELECT 1 AS one").fetchone() == {"one": 1}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("with_install", [False, True])
def test_opening_tries_again_if_the_connection_becomes_silent(
    tmp_path: Path, database_address: str, monkeypatch: pytest.MonkeyPatch, with_install: bool
) -> None:
    monkeypatch.setattr("docyard.cli.installation._WAIT_SECONDS", 0.5)
    port = int(str(conninfo_to_dict(database_address)["port"]))
    silences = iter([True])

    def fall_silent_once(conn: BoundedConnection) -> None:
        if next(silences, False):
            proxy.fall_silent(new_ones_too=False)
        (install if with_install else require_installed)(conn)

    monkeypatch.setattr(pools, "install" if with_install else "require_installed", fall_silent_once)
    with (
        Proxy(lambda: port) as proxy,
        open_installation(_make_settings(tmp_path, database_address, proxy.port), install=with_install) as installation,
        installation.db.transaction() as conn,
    ):
        assert conn.execute("SELECT 1 AS one").fetchone() == {"one": 1}
    assert next(silences, None) is None
