"""Tests that all attached processes share one server, which stops after the last one detaches."""

from __future__ import annotations

import stat

from docyard.db.embedded import EmbeddedServer, is_running, server_version
from tests.db.embedded.server_processes import Home, assert_eventually, run_statement


def test_the_first_attachment_starts_a_server(home: Home) -> None:
    assert not is_running(home.path)
    with EmbeddedServer.attach(home.path) as server:
        assert run_statement(server.conninfo(), "select 1") == 1
        assert run_statement(server.conninfo(), "select current_database()") == "docyard"
        assert run_statement(server.conninfo(), "show fsync") == "on"
        assert run_statement(server.conninfo(), "show server_version") == server_version(home.path)
        assert is_running(home.path)


def test_private_files_are_readable_by_their_owner_only(home: Home) -> None:
    with EmbeddedServer.attach(home.path):
        for path in (home.layout.address, home.layout.password, home.layout.server_log):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
        for folder in (home.layout.folder, home.data):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700, folder


def test_a_second_attachment_shares_the_server(home: Home) -> None:
    with EmbeddedServer.attach(home.path) as first, EmbeddedServer.attach(home.path) as second:
        pid = home.postmaster()
        assert first.conninfo() == second.conninfo()
        first.close()
        assert run_statement(second.conninfo(), "select 1") == 1
        assert home.postmaster() == pid


def test_concurrent_processes_share_one_server(home: Home) -> None:
    users = [home.start_user() for _ in range(4)]
    addresses = {user.stdout.readline() for user in users if user.stdout}
    assert len(addresses) == 1
    assert run_statement(addresses.pop(), "select 1") == 1


def test_the_server_stops_after_the_last_detachment_and_keeps_its_data(home: Home) -> None:
    with EmbeddedServer.attach(home.path) as server:
        run_statement(server.conninfo(), "create table kept as select 42 as answer")
    assert_eventually(lambda: not home.is_guarded() and not home.processes())
    assert not home.layout.address.exists()
    assert "database system is shut down" in home.layout.server_log.read_text()
    with EmbeddedServer.attach(home.path) as server:
        assert run_statement(server.conninfo(), "select answer from kept") == 42


def test_attaching_while_the_server_stops_starts_the_next_one(home: Home) -> None:
    EmbeddedServer.attach(home.path).close()
    guardian = home.guardian()
    # Removing the address is the first step of a stop, so the guardian is stopping from here on.
    assert_eventually(lambda: not home.layout.address.exists())
    with EmbeddedServer.attach(home.path) as server:
        assert run_statement(server.conninfo(), "select 1") == 1
        assert home.guardian() != guardian
