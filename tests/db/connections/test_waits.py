"""Every wait on the database is bounded, and its end is a clear error."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from docyard.db import Database
from docyard.errors import Locked, StorageFull, Unavailable
from tests.chaos.instruments.proxy import Proxy


@pytest.fixture
def proxy(database_address: str) -> Iterator[Proxy]:
    """A proxy in front of the test's database."""
    port = int(str(conninfo_to_dict(database_address)["port"]))
    with Proxy(lambda: port) as proxy:
        yield proxy


@pytest.fixture
def proxied(proxy: Proxy, database_address: str) -> Iterator[Database]:
    """The test's database behind the proxy, with short bounds."""
    address = make_conninfo(database_address, port=proxy.port)
    db = Database(lambda: address, size=2, statement_seconds=1.0, lock_seconds=0.2)
    yield db
    db.close()


@pytest.fixture(autouse=True)
def quick_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the bounds of the client."""
    monkeypatch.setattr("docyard.db.connections._ANSWER_SECONDS", 0.2)
    monkeypatch.setattr("docyard.db.connections._SHORT_WAIT_SECONDS", 0.5)
    monkeypatch.setattr("docyard.db.bounded_connection._CHECK_SECONDS", 0.5)


def test_a_silent_connection_is_given_up_and_replaced(proxied: Database, proxy: Proxy) -> None:
    with proxied.statement():
        pass  # the connection is open
    proxy.fall_silent(new_ones_too=False)
    with pytest.raises(Unavailable, match="did not answer"), proxied.statement() as conn:
        conn.execute("SELECT 1")
    with proxied.transaction() as conn:
        assert conn.execute("SELECT 1 AS one").fetchone() == {"one": 1}


def test_idle_connections_that_became_silent_are_replaced(proxied: Database, proxy: Proxy) -> None:
    with proxied.transaction(), proxied.transaction():
        pass
    proxy.fall_silent(new_ones_too=False)
    for _ in range(3):  # at most one call fails for each connection
        try:
            with proxied.statement() as conn:
                conn.execute("SELECT 1")
        except Unavailable:
            continue
    with proxied.statement() as conn:
        assert conn.execute("SELECT 1 AS one").fetchone() == {"one": 1}


def test_a_listening_connection_can_be_checked(proxied: Database, proxy: Proxy) -> None:
    with proxied.connect("listener") as conn:
        conn.execute("LISTEN docyard_jobs")
        conn.check()
        proxy.fall_silent(new_ones_too=False)
        assert list(conn.notifies(timeout=0.1)) == []
        with pytest.raises(psycopg.OperationalError, match="did not answer"):
            conn.check()


def test_a_long_statement_is_cancelled(proxied: Database) -> None:
    with pytest.raises(Unavailable, match="too long"), proxied.transaction() as conn:
        conn.execute("SELECT pg_sleep(60)")


def test_a_wait_for_a_lock_ends(proxied: Database, database: Database) -> None:
    with database.transaction() as other:
        other.execute("SELECT pg_advisory_xact_lock(1)")
        with pytest.raises(Locked), proxied.transaction() as conn:
            conn.execute("SELECT pg_advisory_xact_lock(1)")


@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        ("disk_full", StorageFull),
        ("deadlock_detected", Locked),
        ("out_of_memory", Unavailable),
        ("too_many_connections", Unavailable),
        ("cannot_connect_now", Unavailable),
        ("io_error", Unavailable),
        ("read_only_sql_transaction", Unavailable),
    ],
)
def test_errors_that_may_pass_are_unavailable(database: Database, condition: str, kind: type[Unavailable]) -> None:
    with pytest.raises(Unavailable) as raised, database.transaction() as conn:
        conn.execute(f"DO $$ BEGIN RAISE {condition}; END $$".encode())
    assert type(raised.value) is kind


def test_errors_of_a_statement_are_not_unavailable(database: Database) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero), database.transaction() as conn:
        conn.execute("SELECT 1 / 0")
