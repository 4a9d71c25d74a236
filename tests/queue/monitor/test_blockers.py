"""Tests that transactions which keep locks on Docyard's tables are found and named."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread
from uuid import UUID

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from docyard.db import Connection, Database
from docyard.queue import monitor
from docyard.queue.monitor import blockers
from tests.chaos.installation import wait_for
from tests.pipeline.stage_runs import arrive

MIGRATION_LOCK = sys.modules["docyard.db.migrate"]._LOCK


@pytest.fixture(autouse=True)
def _report_immediately(monkeypatch: pytest.MonkeyPatch) -> None:
    """Report blockers without the usual grace period."""
    monkeypatch.setattr(blockers, "MIN_SECONDS", 0.0)


@contextmanager
def hold(address: str, statement: str, application: str = "psql") -> Iterator[int]:
    """Run a statement in a transaction that stays open; yield the pid of its server process."""
    with psycopg.connect(address, application_name=application) as held:
        held.execute(statement.encode())
        yield held.info.backend_pid
        held.rollback()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE source_documents SET title = 'The secret title'",
        "SELECT * FROM documents WHERE title IS DISTINCT FROM 'The secret title' FOR UPDATE",
        "LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE",
    ],
)
def test_names_a_session_that_holds_locks(
    database: Database, conn: Connection, workspace: UUID, database_address: str, statement: str
) -> None:
    arrive(database, workspace)
    assert monitor.find_blockers(conn) == []
    with hold(database_address, statement) as pid:
        (found,) = monitor.find_blockers(conn)
        assert (found.kind, found.pid, found.role, found.application) == ("transaction", pid, "postgres", "psql")
        assert (found.address, found.state, found.blocked) == ("127.0.0.1", "idle in transaction", 0)
        assert {"documents", "jobs"} & set(found.tables)
        assert found.seconds is not None
        assert found.query_seconds is not None
        assert found.query == statement.replace("The secret title", "…")
    assert monitor.find_blockers(conn) == []


def test_sessions_that_cannot_block_work_are_not_named(
    database: Database, conn: Connection, database_address: str
) -> None:
    with (
        hold(database_address, "SELECT FROM jobs"),
        hold(database_address, "CREATE TABLE other (id integer); UPDATE other SET id = 1; DROP TABLE other"),
        hold(database_address, "UPDATE tiers SET paused = false", application="docyard-web"),
    ):
        assert monitor.find_blockers(conn) == []


def test_young_transactions_are_not_named(
    conn: Connection, database_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blockers, "MIN_SECONDS", 10.0)
    with hold(database_address, "UPDATE tiers SET paused = false"):
        assert monitor.find_blockers(conn) == []


def test_only_the_cause_of_a_chain_of_waits_is_named(
    database: Database, conn: Connection, database_address: str
) -> None:
    def wait() -> None:
        with database.transaction() as waiter:
            waiter.execute("UPDATE tiers SET paused = false WHERE tier = 0")

    threads = [Thread(target=wait) for _ in range(2)]
    with hold(database_address, "UPDATE tiers SET paused = false", application="docyard") as pid:
        for thread in threads:
            thread.start()
        wait_for(lambda: any(found.blocked for found in monitor.find_blockers(conn)), "a session that waits")
        (found,) = monitor.find_blockers(conn)
        assert (found.pid, found.application) == (pid, "docyard")
    for thread in threads:
        thread.join()


def test_a_role_without_privileges_sees_only_sessions_that_certainly_block(
    database: Database, conn: Connection, database_address: str, database_name: str
) -> None:
    owner = f"owner_{database_name}"
    conn.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'x'").format(sql.Identifier(owner)))
    limited = make_conninfo(database_address, user=owner, password="x")
    try:
        with psycopg.connect(limited, row_factory=dict_row, autocommit=True) as other:
            conn.execute(sql.SQL("ALTER FUNCTION find_blockers OWNER TO {}").format(sql.Identifier(owner)))
            with hold(database_address, "UPDATE tiers SET paused = false"):
                assert monitor.find_blockers(other) == []
            with hold(database_address, "LOCK TABLE tiers") as pid:
                (found,) = monitor.find_blockers(other)
            assert (found.pid, found.tables, found.seconds, found.state) == (pid, ["tiers"], None, None)
            assert found.query is None
    finally:
        conn.execute("ALTER FUNCTION find_blockers OWNER TO postgres")
        conn.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(owner)))


@pytest.mark.parametrize(
    ("statement", "purpose"),
    [
        ("SELECT pg_advisory_xact_lock(1685285993, hashtext('fetch'))", "claims"),
        ("SELECT pg_advisory_xact_lock(1685285995, hashtext('docyard.clock'))", "upkeep"),
        ("SELECT pg_advisory_xact_lock(1685285996)", "tallies"),
        ("SELECT pg_advisory_xact_lock_shared(1685285997, 12)", "tags"),
        ("SELECT pg_advisory_xact_lock(1685285999, -12)", "entities"),
    ],
)
def test_names_a_session_that_holds_an_advisory_lock(
    conn: Connection, database_address: str, statement: str, purpose: str
) -> None:
    with hold(database_address, statement) as pid:
        (found,) = monitor.find_blockers(conn)
    assert (found.pid, found.tables, found.purposes, found.blocked) == (pid, [], [purpose], 0)
    assert found.seconds is not None


def test_names_an_idle_session_that_holds_an_advisory_lock_outside_a_transaction(
    conn: Connection, database_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(database_address, autocommit=True, application_name="psql") as holder:
        holder.execute("SELECT pg_advisory_lock(1685285993, hashtext('fetch'))")
        (found,) = monitor.find_blockers(conn)
        monkeypatch.setattr(blockers, "MIN_SECONDS", 60.0)
        assert monitor.find_blockers(conn) == []
        assert (found.pid, found.state, found.purposes) == (holder.info.backend_pid, "idle", ["claims"])
    assert (found.began_at, found.seconds) == (None, None)


def test_advisory_locks_of_other_programs_are_not_named(conn: Connection, database_address: str) -> None:
    with (
        hold(database_address, "SELECT pg_advisory_xact_lock(4711)"),
        hold(database_address, "SELECT pg_advisory_xact_lock(4711, 1685285993)"),
        hold(database_address, "SELECT pg_advisory_xact_lock((4711::bigint << 32) | 1685285996)"),
    ):
        assert monitor.find_blockers(conn) == []


def test_the_purpose_of_every_advisory_lock_is_known() -> None:
    source = Path(monitor.__file__).parents[2]
    texts = [file.read_text() for suffix in ("sql", "py") for file in source.rglob(f"*.{suffix}")]
    keys = {key for text in texts for key in re.findall(r"advisory_(?:xact_)?lock(?:_shared)?\((\w+)", text)}
    assert len(keys) > 5
    known = set(re.findall(r"\((\d+), '\w+'\)", (source / "queue/monitor/find_blockers.sql").read_text()))
    assert keys | {str(MIGRATION_LOCK)} == known


@pytest.mark.parametrize("application", ["psql", "docyard"])
def test_names_a_session_whose_client_does_not_read_the_answer(
    database: Database,
    conn: Connection,
    workspace: UUID,
    database_address: str,
    monkeypatch: pytest.MonkeyPatch,
    application: str,
) -> None:
    arrive(database, workspace)
    monkeypatch.setattr(blockers, "OWN_SECONDS", 0.0)
    with closing(psycopg.connect(database_address, application_name=application)) as suspended:
        suspended.execute("SELECT FROM jobs FOR UPDATE")
        suspended.pgconn.send_query(b"SELECT repeat('x', 1000000) FROM generate_series(1, 100)")
        suspended.pgconn.flush()
        wait_for(lambda: [b for b in monitor.find_blockers(conn) if b.state == "waiting for its client"], "the wait")
        (found,) = monitor.find_blockers(conn)
        monkeypatch.setattr(blockers, "OWN_SECONDS", 60.0)
        assert len(monitor.find_blockers(conn)) == (application == "psql")
        assert (found.pid, found.tables, found.is_urgent) == (suspended.info.backend_pid, ["jobs"], True)


def test_an_operator_sees_the_same_as_the_owner(
    web_database: Database, conn: Connection, database_address: str
) -> None:
    with hold(database_address, "UPDATE tiers SET paused = false") as pid:
        (seen,) = monitor.find_blockers(conn)
        with web_database.transaction(operator=True) as operator:
            (found,) = monitor.find_blockers(operator)
        with web_database.transaction() as user:
            assert monitor.find_blockers(user) == []
    assert found.pid == pid
    assert (
        (found.state, found.query)
        == (seen.state, seen.query)
        == ("idle in transaction", "UPDATE tiers SET paused = false")
    )
    assert found.seconds is not None
    assert found.query_seconds is not None
