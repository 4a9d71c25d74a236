"""Checks of the host and the database; an error in one check does not stop the others."""

from __future__ import annotations

import shutil
import socket
import sys
from collections.abc import Callable

import psycopg

from docyard.cli.doctor.findings import FAIL, OK, WARN, Finding
from docyard.cli.doctor.model_checks import check_ocr, check_semantic_search
from docyard.cli.doctor.store_checks import check_blobs
from docyard.cli.doctor.upkeep_checks import check_dead_rows, check_duties, check_vacuum
from docyard.cli.installation import Installation, open_installation
from docyard.cli.run.up_lock import read_running_port
from docyard.db import schema_version
from docyard.db.connections import OPERATOR_ROLE, WEB_ROLE
from docyard.errors import DocyardError, SetupError
from docyard.model.limits import MEGABYTE
from docyard.pipeline.pools import require_installed
from docyard.queue import monitor
from docyard.settings import Settings

_MIN_FREE_SPACE = 1024 * MEGABYTE
_EXTENSIONS = {
    "pg_trgm": "The PostgreSQL extension pg_trgm is not available. No feature of this version needs it.",
    "vector": (
        "The PostgreSQL extension vector is not available, so semantic search is off."
        " Install pgvector 0.8 or later on the database server, then run: docyard migrate"
    ),
}
_NO_WEB_ROLE = (
    f"The database role {WEB_ROLE} is missing, so the web app cannot connect."
    " If the database was restored from a dump, create the role, then restore the dump again."
    " Otherwise run: docyard migrate"
)
_WEB_ROLE_TOO_STRONG = (
    f"The database role {WEB_ROLE} bypasses row-level security, so a user could read the documents of other"
    f" workspaces. Remove SUPERUSER, BYPASSRLS and inherited privileges of {OPERATOR_ROLE} from the role."
)
_WEB_CONNECTS_AS_OWNER = (
    f"The web app connects as the database owner and then switches to the role {WEB_ROLE}. It is safer to"
    f" connect as {WEB_ROLE}: set DOCYARD_WEB_DATABASE_URL to a connection string of that role."
)


def run_checks(settings: Settings) -> list[Finding]:
    """Run all checks and return their findings; checks of the database run only if it can be opened."""
    findings = [_python(), _space(settings), _port(settings)]
    try:
        with open_installation(settings, check=False) as installation:
            findings.append(_database(installation))
            findings += [_run_check(name, check, installation) for name, check in _DATABASE_CHECKS.items()]
    except (DocyardError, psycopg.Error) as error:
        findings.append(Finding("database", FAIL, str(error).strip()))
    return findings


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
        available = {row["name"] for row in conn.execute("SELECT name FROM pg_available_extensions")}
    missing = [words for name, words in _EXTENSIONS.items() if name not in available]
    return Finding("extensions", WARN if missing else OK, " ".join(missing) or "vector and pg_trgm are available.")


def _web_role(installation: Installation) -> Finding:
    with installation.db.transaction() as conn:
        row = conn.execute(
            "SELECT rolsuper OR rolbypassrls OR pg_has_role(rolname, %s, 'USAGE') AS too_strong"
            " FROM pg_roles WHERE rolname = %s",
            (OPERATOR_ROLE, WEB_ROLE),
        ).fetchone()
    if row is None:
        return Finding("web role", FAIL, _NO_WEB_ROLE)
    if row["too_strong"]:
        return Finding("web role", FAIL, _WEB_ROLE_TOO_STRONG)
    if installation.server is None and not installation.settings.web_database_url:
        return Finding("web role", WARN, _WEB_CONNECTS_AS_OWNER)
    return Finding("web role", OK, f"The web app connects as the role {WEB_ROLE}, which owns no objects.")


def _workers(installation: Installation) -> Finding:
    with installation.db.transaction() as conn:
        counted, workers = monitor.count_backlog(conn), monitor.list_workers(conn)
    alive = [worker for worker in workers if worker.state == "alive" and worker.silent_seconds < 60]
    waiting, dead = counted.states.get("pending", 0), counted.count("dead")
    if alive:
        words = f"Running workers: {len(alive)}; waiting jobs: {waiting}; dead letters: {dead}."
        return Finding("workers", OK, words)
    words = f"No worker is running, so no job is processed ({waiting} waiting). Start a worker with: docyard worker"
    return Finding("workers", WARN if not waiting else FAIL, words)


_DATABASE_CHECKS: dict[str, Callable[[Installation], Finding]] = {
    "schema": _schema,
    "extensions": _extensions,
    "file store": check_blobs,
    "scans": check_ocr,
    "search by meaning": check_semantic_search,
    "web role": _web_role,
    "vacuum": check_vacuum,
    "dead rows": check_dead_rows,
    "duties": check_duties,
    "workers": _workers,
}


def _run_check(name: str, check: Callable[[Installation], Finding], installation: Installation) -> Finding:
    try:
        return check(installation)
    except (DocyardError, psycopg.Error) as error:
        return Finding(name, FAIL, str(error).strip())
