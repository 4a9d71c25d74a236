"""Checks of the host and the database; an error in one check does not stop the others."""

from __future__ import annotations

import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Event, Timer

import psycopg

from docyard.cli.doctor.findings import FAIL, OK, WARN, Finding
from docyard.cli.doctor.model_checks import check_ocr, check_semantic_search
from docyard.cli.doctor.queue_checks import check_blockers, check_queue
from docyard.cli.doctor.store_checks import check_blobs
from docyard.cli.doctor.upkeep_checks import check_clock, check_dead_rows, check_duties, check_vacuum
from docyard.cli.doctor.web_role_check import check_web_role
from docyard.cli.installation import Installation, open_installation
from docyard.cli.run.up_lock import read_running_port
from docyard.db import Database, schema_version
from docyard.db.database_errors import describe
from docyard.errors import SetupError
from docyard.model.limits import MEGABYTE
from docyard.pipeline.pools import require_installed
from docyard.settings import Settings

_MIN_FREE_SPACE = 1024 * MEGABYTE
_NO_VECTOR = (
    "The PostgreSQL extension vector is not available, so semantic search is off."
    " Install pgvector 0.8 or later on the database server, then run: docyard migrate"
)
_LONGEST_STATEMENT = 5.0  # seconds
_LONGEST_CHECK = 15.0  # seconds; then the server, or the network to it, is taken to be dead


def run_checks(settings: Settings) -> list[Finding]:
    """Run all checks and return their findings; checks of the database run only while it answers."""
    findings = [_python(), _space(settings), _port(settings)]
    try:
        with open_installation(settings, check=False) as installation:
            findings += _check_database(installation)
    except Exception as error:  # noqa: BLE001 (whatever is wrong with an installation, this command reports it)
        findings.append(Finding("database", FAIL, _describe_error(error)))
    return findings


def _check_database(installation: Installation) -> Iterator[Finding]:
    """Run the checks of the database, with a limit on their time, until the database does not answer."""
    db = Database(installation.conninfo, size=1, name="docyard-doctor", statement_seconds=_LONGEST_STATEMENT)
    limited = replace(installation, db=db)
    try:
        for name, check in _DATABASE_CHECKS.items():
            with _shut_down_later(db) as expired:
                findings = _run_check(name, check, limited)
            yield from findings
            if expired.is_set() and findings[-1].state == FAIL:
                yield Finding("database", FAIL, "The database stopped answering, so the other checks were skipped.")
                return
    finally:
        db.close()


@contextmanager
def _shut_down_later(db: Database) -> Iterator[Event]:
    """Shut down the connections when the time is over; the event is then set."""
    expired = Event()

    def expire() -> None:
        expired.set()
        db.shut_down_connections()

    timer = Timer(_LONGEST_CHECK, expire)
    timer.daemon = True
    timer.start()
    try:
        yield expired
    finally:
        timer.cancel()


def _describe_error(error: Exception) -> str:
    if isinstance(error, psycopg.Error):
        return describe(error)
    return str(error).strip() or type(error).__name__


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    supported = sys.version_info >= (3, 11)
    words = "is supported." if supported else "is too old. Install Docyard with Python 3.11 or later."
    return Finding("python", OK if supported else FAIL, f"Python {version} {words}")


def _space(settings: Settings) -> Finding:
    folder = settings.home
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    words = f"{free // MEGABYTE} MB are free on the disk of {settings.home}."
    if free > _MIN_FREE_SPACE:
        return Finding("space", OK, words)
    words += (
        f" Documents and the database need at least {_MIN_FREE_SPACE // MEGABYTE} MB."
        " Free some space, or move DOCYARD_HOME to a larger disk."
    )
    return Finding("space", FAIL if free < _MIN_FREE_SPACE // 10 else WARN, words)


def _port(settings: Settings) -> Finding:
    running = read_running_port(settings.home) if settings.home.exists() else None
    if running is not None:
        return Finding("port", OK, f"Docyard is running on port {running}.")
    with socket.socket() as probe:
        probe.settimeout(1)
        taken = probe.connect_ex((settings.host, settings.port)) == 0
    words = (
        f"Port {settings.port} is in use by another program, so Docyard cannot listen on it."
        " Set DOCYARD_PORT to a free port."
        if taken
        else f"Port {settings.port} is free."
    )
    return Finding("port", WARN if taken else OK, words)


def _database(installation: Installation) -> Finding:
    with installation.db.transaction() as conn:
        version = conn.info.server_version
    kind = "Embedded PostgreSQL" if installation.server else "PostgreSQL"
    return Finding("database", OK, f"{kind} {version // 10000}.{version % 10000} answers.")


def _schema(installation: Installation) -> Finding:
    with installation.db.transaction() as conn:
        try:
            require_installed(conn)
        except SetupError as error:
            return Finding("schema", FAIL, str(error))
        return Finding("schema", OK, f"The schema is current (version {schema_version(conn)}).")


def _extensions(installation: Installation) -> Finding:
    with installation.db.transaction() as conn:
        found = conn.execute("SELECT FROM pg_available_extensions WHERE name = 'vector'").fetchone()
    if found is None:
        return Finding("extensions", WARN, _NO_VECTOR)
    return Finding("extensions", OK, "vector is available.")


_DATABASE_CHECKS: dict[str, Callable[[Installation], Finding | list[Finding]]] = {
    "database": _database,
    "blockers": check_blockers,
    "schema": _schema,
    "extensions": _extensions,
    "file store": check_blobs,
    "scans": check_ocr,
    "search by meaning": check_semantic_search,
    "web role": check_web_role,
    "vacuum": check_vacuum,
    "dead rows": check_dead_rows,
    "duties": check_duties,
    "clock": check_clock,
    "queue": check_queue,
}


def _run_check(
    name: str, check: Callable[[Installation], Finding | list[Finding]], installation: Installation
) -> list[Finding]:
    try:
        found = check(installation)
    except Exception as error:  # noqa: BLE001 (an error in one check must not stop the others)
        return [Finding(name, FAIL, _describe_error(error))]
    return found if isinstance(found, list) else [found]
