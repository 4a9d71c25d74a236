"""The doctor's checks: each gives a finding, and none stops the others."""

from __future__ import annotations

import shutil
import socket
import sys
from collections.abc import Callable

import psycopg

from docyard.cli.doctor.findings import FAIL, OK, WARN, Finding
from docyard.cli.doctor.model_checks import meaning, scans
from docyard.cli.doctor.upkeep_checks import dead_rows, duties, held_back
from docyard.cli.installation import Installation, opened
from docyard.cli.run.running import running_port
from docyard.db import schema_version
from docyard.db.connect import OPERATOR_ROLE, WEB_ROLE
from docyard.errors import DocyardError, Setup
from docyard.model.limits import MEGABYTE
from docyard.pipeline.pools import require_installed
from docyard.queue import monitor
from docyard.settings import Settings

_SPACE_NEEDED = 1024 * MEGABYTE
_EXTENSIONS = {"vector": "search by meaning stays off", "pg_trgm": "fuzzy name matching stays off"}


def examine(settings: Settings) -> list[Finding]:
    """Run every check; those that need the database only if it answers."""
    findings = [_python(), _space(settings), _port(settings)]
    try:
        with opened(settings, check=False) as installation:
            findings.append(_database(installation))
            findings += [_safely(name, check, installation) for name, check in _WITH_DATABASE.items()]
    except (DocyardError, psycopg.Error) as error:
        findings.append(Finding("database", FAIL, str(error).strip()))
    return findings


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding(
        "python", OK if sys.version_info >= (3, 11) else FAIL, f"Python {version}; 3.11 or later is needed."
    )


def _space(settings: Settings) -> Finding:
    folder = settings.home
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    state = OK if free > _SPACE_NEEDED else FAIL if free < _SPACE_NEEDED // 10 else WARN
    return Finding("space", state, f"{free // MEGABYTE} MB free where {settings.home} is.")


def _port(settings: Settings) -> Finding:
    running = running_port(settings.home) if settings.home.exists() else None
    if running is not None:
        return Finding("port", OK, f"Docyard is up on port {running}.")
    with socket.socket() as probe:
        probe.settimeout(1)
        taken = probe.connect_ex((settings.host, settings.port)) == 0
    words = (
        f"Port {settings.port} is taken by another program; set DOCYARD_PORT."
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
        except Setup as error:
            return Finding("schema", FAIL, str(error))
        return Finding("schema", OK, f"Schema version {schema_version(conn)}, current.")


def _extensions(installation: Installation) -> Finding:
    with installation.db.transaction() as conn:
        there = {row["name"] for row in conn.execute("SELECT name FROM pg_available_extensions")}
    missing = [f"{name} is missing: {cost}" for name, cost in _EXTENSIONS.items() if name not in there]
    return Finding(
        "extensions", WARN if missing else OK, "; ".join(missing) or "vector and pg_trgm are there."
    )


def _web_role(installation: Installation) -> Finding:
    with installation.db.transaction() as conn:
        row = conn.execute(
            "SELECT rolsuper OR rolbypassrls OR pg_has_role(rolname, %s, 'USAGE') AS too_strong"
            " FROM pg_roles WHERE rolname = %s",
            (OPERATOR_ROLE, WEB_ROLE),
        ).fetchone()
    if row is None:
        return Finding("web role", FAIL, f"The role {WEB_ROLE} is missing.")
    if row["too_strong"]:
        return Finding("web role", FAIL, f"{WEB_ROLE} sees past row security: tenants are not kept apart.")
    if installation.server is None and not installation.settings.web_database_url:
        return Finding(
            "web role", WARN, "The web signs in as the owner and switches role; set DOCYARD_WEB_DATABASE_URL."
        )
    return Finding("web role", OK, f"The web signs in as {WEB_ROLE}, which owns nothing.")


def _workers(installation: Installation) -> Finding:
    with installation.db.transaction() as conn:
        counted, workers = monitor.count_now(conn), monitor.workers(conn)
    alive = [worker for worker in workers if worker.state == "alive" and worker.silent_seconds < 60]
    waiting, dead = counted.states.get("pending", 0), counted.count("dead")
    if alive:
        return Finding("workers", OK, f"{len(alive)} alive; {waiting} jobs wait, {dead} dead letters.")
    words = f"No worker is alive; {waiting} jobs wait. Start one with: docyard worker"
    return Finding("workers", WARN if not waiting else FAIL, words)


_WITH_DATABASE: dict[str, Callable[[Installation], Finding]] = {
    "schema": _schema,
    "extensions": _extensions,
    "scans": scans,
    "search by meaning": meaning,
    "web role": _web_role,
    "vacuum": held_back,
    "dead rows": dead_rows,
    "duties": duties,
    "workers": _workers,
}


def _safely(name: str, check: Callable[[Installation], Finding], installation: Installation) -> Finding:
    try:
        return check(installation)
    except (DocyardError, psycopg.Error) as error:
        return Finding(name, FAIL, str(error).strip())
