"""Tests that the embedded server recovers without data loss after any process is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

import psycopg
import pytest

from docyard.db.embedded import EmbeddedServer
from tests.db.embedded.server_processes import Home, assert_eventually, kill_if_alive, retry_statement, run_statement

pytestmark = pytest.mark.chaos


def test_a_killed_postmaster_is_restarted_on_the_same_port(home: Home) -> None:
    with EmbeddedServer.attach(home.path) as server:
        run_statement(server.conninfo(), "create table kept as select 42 as answer")
        before, pid = server.conninfo(), home.postmaster()
        os.kill(pid, signal.SIGKILL)
        assert retry_statement(server.conninfo, "select answer from kept") == 42
        assert server.conninfo() == before


def test_a_busy_backend_does_not_prevent_a_restart(home: Home) -> None:
    with EmbeddedServer.attach(home.path) as server:
        conn = psycopg.connect(server.conninfo(), autocommit=True)
        # This backend does not notice the death of its postmaster; only a signal ends it.
        conn.pgconn.send_query(b"select count(*) from generate_series(1, 100000000000)")
        others = "select count(*) from pg_stat_activity where query like '%series%' and pid <> pg_backend_pid()"
        assert_eventually(lambda: run_statement(server.conninfo(), others) == 1)
        os.kill(home.postmaster(), signal.SIGKILL)
        assert retry_statement(server.conninfo, "select 1") == 1
        conn.close()


def test_an_attached_process_replaces_a_killed_guardian(home: Home) -> None:
    with EmbeddedServer.attach(home.path) as server:
        run_statement(server.conninfo(), "create table kept as select 42 as answer")
        before, pid = server.conninfo(), home.guardian()
        os.kill(pid, signal.SIGKILL)
        assert retry_statement(lambda: _read_new_conninfo(home, server, pid), "select answer from kept") == 42
        assert server.conninfo() == before


def _read_new_conninfo(home: Home, server: EmbeddedServer, killed: int) -> str:
    if home.guardian() == killed or not home.layout.address.exists():
        raise psycopg.OperationalError("the old guardian is still recorded")
    return server.conninfo()


def test_a_guardian_stops_cleanly_on_request(home: Home) -> None:
    with EmbeddedServer.attach(home.path, watch=False):
        os.kill(home.guardian(), signal.SIGTERM)
        assert_eventually(lambda: not home.is_guarded() and not home.processes())
    assert "database system is shut down" in home.layout.server_log.read_text()


def test_a_server_ends_with_its_guardian(home: Home) -> None:
    with EmbeddedServer.attach(home.path, watch=False) as server:
        run_statement(server.conninfo(), "create table kept as select 42 as answer")
        os.kill(home.guardian(), signal.SIGKILL)
        if sys.platform == "linux":
            assert_eventually(lambda: not home.processes())
            assert "database system is shut down" in home.layout.server_log.read_text()
    # On other systems, the next guardian stops the server.
    with EmbeddedServer.attach(home.path) as server:
        assert run_statement(server.conninfo(), "select answer from kept") == 42


def test_recovery_after_all_processes_are_killed(home: Home) -> None:
    user = home.start_user()
    assert user.stdout
    run_statement(user.stdout.readline(), "create table kept as select 42 as answer")
    for pid in (user.pid, home.guardian(), *home.processes()):
        kill_if_alive(pid)
    with EmbeddedServer.attach(home.path) as server:
        assert run_statement(server.conninfo(), "select answer from kept") == 42


def test_recovery_with_a_stale_pid_of_another_program(home: Home) -> None:
    EmbeddedServer.attach(home.path).close()
    home.stop()
    owner = home.data.stat()
    with subprocess.Popen(["/bin/sleep", "60"], **_owner_options(owner.st_uid)) as stranger:
        stale = home.data / "postmaster.pid"
        stale.write_text(f"{stranger.pid}\n{home.data}\n1700000000\n5432\n\n127.0.0.1\n        1         1\n")
        os.chown(stale, owner.st_uid, owner.st_gid)
        with EmbeddedServer.attach(home.path, wait_seconds=20) as server:
            assert run_statement(server.conninfo(), "select 1") == 1
        assert stranger.poll() is None
        stranger.kill()


def _owner_options(uid: int) -> dict[str, Any]:
    # The program must run as PostgreSQL's user: PostgreSQL ignores the pid of a process it may not signal.
    return {"user": uid} if os.geteuid() == 0 else {}


def test_a_server_stops_when_its_home_is_moved(home: Home) -> None:
    moved = home.path.with_name("moved")
    with EmbeddedServer.attach(home.path, watch=False) as server:
        run_statement(server.conninfo(), "create table kept as select 42 as answer")
        first = home.guardian()
        home.path.rename(moved)
        with EmbeddedServer.attach(home.path) as fresh:
            pid = home.postmaster()
            assert_eventually(lambda: not _is_alive(first))
            assert run_statement(fresh.conninfo(), "select to_regclass('kept')") is None
            assert home.postmaster() == pid
    home.stop()
    home.path = moved
    with EmbeddedServer.attach(moved) as server:
        assert run_statement(server.conninfo(), "select answer from kept") == 42


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_recovery_after_a_kill_during_the_first_start(home: Home) -> None:
    user = home.start_user()
    assert_eventually(lambda: any(home.path.glob("postgres-data.new-*/data/base/1")))
    user.kill()
    os.kill(home.guardian(), signal.SIGKILL)
    assert_eventually(lambda: not home.is_guarded())
    assert not home.data.exists()
    assert any(home.path.glob("postgres-data.new-*"))
    with EmbeddedServer.attach(home.path) as server:
        assert run_statement(server.conninfo(), "select 1") == 1
    assert not any(home.path.glob("postgres-data.new-*"))
