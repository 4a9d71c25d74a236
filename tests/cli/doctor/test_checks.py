"""`docyard doctor`: the causes of a standstill, the role of the web app, and a database that does not answer."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from uuid import UUID

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from docyard.cli.doctor import checks, queue_checks, web_role_check
from docyard.cli.doctor.checks import run_checks
from docyard.cli.doctor.findings import FAIL, OK, WARN, Finding
from docyard.cli.installation import Installation
from docyard.db import Connection, Database
from docyard.model.limits import Limits
from docyard.model.tiers import Tier
from docyard.queue import control, monitor
from docyard.queue.monitor import blockers
from docyard.settings import Settings
from tests.conftest import WEB_PASSWORD
from tests.queue.queue_workers import POOL, insert_jobs, register_worker_committed


@pytest.fixture
def installation(database: Database, limits: Limits, database_address: str) -> Installation:
    """An installation on the test's database."""
    return Installation(Settings(database_url=database_address), database, limits, None, None)


def test_names_a_session_that_blocks_the_queue(
    installation: Installation, database_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blockers, "MIN_SECONDS", 0.0)
    (fine,) = queue_checks.check_blockers(installation)
    assert fine == Finding("blockers", OK, "No transaction of another session blocks the queue.")
    with psycopg.connect(database_address, application_name="psql") as forgotten:
        forgotten.execute("LOCK TABLE jobs, documents, pools, duties")
        pid = forgotten.info.backend_pid
        (found,) = queue_checks.check_blockers(installation)
    assert (found.check, found.state) == ("blockers", FAIL)
    assert "(psql, user postgres, from 127.0.0.1) holds locks on documents, duties, jobs, pools" in found.words
    assert f"psql -c 'SELECT pg_terminate_backend({pid})'" in found.words


def test_says_the_same_as_the_operations_page(
    installation: Installation, conn: Connection, database: Database, workspace: UUID
) -> None:
    insert_jobs(conn, workspace, Tier.LOW, 3)
    register_worker_committed(database)
    monitor.take_sample(conn, lag=0)
    (fine,) = queue_checks.check_queue(installation)
    assert fine == Finding("workers", OK, "Running workers: 1; pending jobs: 3; dead letters: 0.")
    conn.execute("UPDATE queue_samples SET taken_at = taken_at - interval '40 seconds'")
    stalled = queue_checks.check_queue(installation)
    assert [(found.check, found.state) for found in stalled] == [("workers", OK), ("stalls", FAIL)]
    assert "3 jobs are pending in the pool extract, but none was started in the last 4" in stalled[1].words
    control.pause(conn, "pool", POOL)
    (_, paused) = queue_checks.check_queue(installation)
    assert paused == Finding(
        "pauses", WARN, f"The pool {POOL} is paused: none of its jobs are started. docyard resume pool {POOL}"
    )
    shown = monitor.advise(monitor.collect_overview(conn))
    assert [f"{advice.words} {advice.command}" for advice in shown] == [paused.words]


@pytest.mark.parametrize(
    ("attributes", "state", "words"),
    [
        ("docyard_web", OK, "The web app connects as the role docyard_web, which owns no objects."),
        ("member", FAIL, "lacks the privileges of the web app"),
        ("superuser", FAIL, "bypasses row-level security"),
        ("owner", FAIL, "has the privileges of the owner of the tables"),
        ("nobody", FAIL, "DOCYARD_WEB_DATABASE_URL does not work."),
    ],
)
def test_checks_the_role_of_the_web_address(
    installation: Installation, conn: Connection, database_address: str, attributes: str, state: str, words: str
) -> None:
    roles = {"superuser": "SUPERUSER", "member": "NOSUPERUSER", "owner": "NOSUPERUSER"}
    change_owner = sql.SQL("ALTER TABLE documents OWNER TO {}")
    role = "docyard_web" if attributes == "docyard_web" else f"web_{conn.info.dbname}"
    if attributes in roles:
        create = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {} " + roles[attributes])
        conn.execute(create.format(sql.Identifier(role), WEB_PASSWORD))
    if attributes == "owner":
        conn.execute(change_owner.format(sql.Identifier(role)))
    try:
        address = make_conninfo(database_address, user=role, password=WEB_PASSWORD)
        found = web_role_check.check_web_role(_with_web_address(installation, address))
    finally:
        conn.execute(change_owner.format(sql.Identifier("postgres")))
        if attributes in roles:
            conn.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))
    assert found.state == state
    assert words in found.words
    assert role in found.words or attributes == "nobody"


def test_rejects_a_web_address_of_another_database(installation: Installation, database_address: str) -> None:
    other = make_conninfo(database_address, dbname="postgres", user="docyard_web", password=WEB_PASSWORD)
    found = web_role_check.check_web_role(_with_web_address(installation, other))
    assert (found.state, "do not name the same database" in found.words) == (FAIL, True)


def _with_web_address(installation: Installation, address: str) -> Installation:
    settings = Settings(database_url=installation.settings.database_url, web_database_url=address)
    return Installation(settings, installation.db, installation.limits, None, None)


def test_does_not_check_extensions_that_nothing_uses(installation: Installation) -> None:
    assert checks._extensions(installation).words == "vector is available."


def test_a_slow_statement_fails_its_check_only(
    database_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sleep(installation: Installation) -> Finding:
        with installation.db.transaction() as conn:
            conn.execute("SELECT pg_sleep(60)")
        return Finding("sleep", OK, "")

    monkeypatch.setattr(checks, "_LONGEST_STATEMENT", 0.1)
    monkeypatch.setattr(checks, "_DATABASE_CHECKS", {"sleep": sleep, "schema": checks._schema})
    slow, schema = run_checks(Settings(database_url=database_address, home=tmp_path))[3:]
    assert slow == Finding("sleep", FAIL, "The query took too long and was cancelled. Try again later.")
    assert (schema.check, schema.state) == ("schema", OK)


@pytest.fixture
def frozen_address(database_address: str) -> Iterator[str]:
    """The address of a relay to the database that passes nothing on after the word FREEZE."""
    target = conninfo_to_dict(database_address)
    opened: list[socket.socket] = []
    listener = socket.create_server(("127.0.0.1", 0))
    arguments = (listener, (str(target["host"]), int(str(target["port"]))), opened)
    relay = Thread(target=_relay, args=arguments)
    relay.start()
    yield make_conninfo(database_address, port=listener.getsockname()[1])
    for each in (listener, *opened):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
    relay.join()
    for each in (listener, *opened):
        each.close()


def _relay(listener: socket.socket, target: tuple[str, int], opened: list[socket.socket]) -> None:
    with suppress(OSError):
        while True:
            client, server = listener.accept()[0], socket.create_connection(target)
            opened += (client, server)
            for source, sink in ((client, server), (server, client)):
                Thread(target=_pass_on, args=(source, sink), daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while (data := source.recv(65_536)) and b"FREEZE" not in data:
            sink.sendall(data)


def test_a_database_that_stops_answering_is_reported(
    frozen_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def freeze(installation: Installation) -> Finding:
        with installation.db.transaction() as conn:
            conn.execute("SELECT 'FREEZE'")
        return Finding("freeze", OK, "")

    monkeypatch.setattr(checks, "_LONGEST_CHECK", 0.5)
    monkeypatch.setattr(checks, "_DATABASE_CHECKS", {"freeze": freeze, "schema": checks._schema})
    frozen, stopped = run_checks(Settings(database_url=frozen_address, home=tmp_path))[3:]
    assert (frozen.check, frozen.state) == ("freeze", FAIL)
    assert stopped == Finding("database", FAIL, "The database stopped answering, so the other checks were skipped.")
