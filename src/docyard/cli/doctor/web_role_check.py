"""The check of the database role that the web app uses."""

from __future__ import annotations

from typing import Any

from docyard.cli.doctor.findings import FAIL, OK, WARN, Finding
from docyard.cli.installation import Installation, open_web_database
from docyard.db import Connection
from docyard.db.connections import OPERATOR_ROLE, WEB_ROLE
from docyard.errors import Unavailable

_NO_WEB_ROLE = (
    f"The database role {WEB_ROLE} is missing, so the web app cannot connect."
    " If the database was restored from a dump, create the role, then restore the dump again."
    " Otherwise run: docyard migrate"
)
_TOO_STRONG = (
    "The database role {role} bypasses row-level security, so a user could read the documents of other"
    f" workspaces. Remove SUPERUSER, BYPASSRLS and inherited privileges of {OPERATOR_ROLE} from the role."
)
_OWNS_TABLES = (
    "DOCYARD_WEB_DATABASE_URL connects as the role {role}, which has the privileges of the owner of the tables, so a"
    f" user could read the documents of other workspaces. Connect as {WEB_ROLE}."
)
_TOO_WEAK = (
    "DOCYARD_WEB_DATABASE_URL connects as the role {role}, which lacks the privileges of the web app."
    f" Connect as {WEB_ROLE}."
)
_CONNECTS_AS_OWNER = (
    f"The web app connects as the database owner and then switches to the role {WEB_ROLE}. It is safer to"
    f" connect as {WEB_ROLE}: set DOCYARD_WEB_DATABASE_URL to a connection string of that role."
)
_OTHER_DATABASE = "DOCYARD_WEB_DATABASE_URL and DOCYARD_DATABASE_URL do not name the same database."
# Owners of tables, like superusers, are not subject to row-level security.
_ROLE = (
    "SELECT r.rolname AS role, r.rolsuper OR r.rolbypassrls OR pg_has_role(r.oid, o.oid, 'USAGE') AS too_strong,"
    " EXISTS (SELECT FROM pg_class c WHERE c.relname = 'documents' AND c.relnamespace = 'public'::regnamespace"
    "     AND pg_has_role(r.oid, c.relowner, 'USAGE')) AS owns_tables,"
    " pg_has_role(r.oid, w.oid, 'USAGE') AND pg_has_role(r.oid, o.oid, 'MEMBER') AS suffices,"
    " (SELECT oid FROM pg_database WHERE datname = current_database())::text || pg_postmaster_start_time() AS database"
    " FROM pg_roles r, pg_roles w, pg_roles o WHERE r.rolname = {} AND w.rolname = %s AND o.rolname = %s"
)
_OF_WEB_ROLE, _OF_SESSION = (_ROLE.format(name).encode() for name in ("w.rolname", "current_user"))


def check_web_role(installation: Installation) -> Finding:
    """Check that the role of the web app exists, can do its work, and is subject to row-level security."""
    with installation.db.transaction() as conn:
        row = _load_role(conn, _OF_WEB_ROLE)
    if row is None:
        return Finding("web role", FAIL, _NO_WEB_ROLE)
    if row["too_strong"]:
        return Finding("web role", FAIL, _TOO_STRONG.format(role=WEB_ROLE))
    if installation.settings.web_database_url:
        return _check_web_address(installation, row["database"])
    if installation.server is None:
        return Finding("web role", WARN, _CONNECTS_AS_OWNER)
    return Finding("web role", OK, f"The web app connects as the role {WEB_ROLE}, which owns no objects.")


def _check_web_address(installation: Installation, database: str) -> Finding:
    web = open_web_database(installation, 1)
    try:
        with web.connect() as conn:
            row = _load_role(conn, _OF_SESSION)
    except Unavailable as error:
        return Finding("web role", FAIL, f"DOCYARD_WEB_DATABASE_URL does not work. {error}")
    finally:
        web.close()
    problem = _find_problem(row, database)
    role = row["role"] if row else WEB_ROLE
    if problem:
        return Finding("web role", FAIL, problem.format(role=role))
    return Finding("web role", OK, f"The web app connects as the role {role}, which owns no objects.")


def _find_problem(row: dict[str, Any] | None, database: str) -> str | None:
    if row is None or row["database"] != database:
        return _OTHER_DATABASE
    problems = ((row["too_strong"], _TOO_STRONG), (row["owns_tables"], _OWNS_TABLES), (not row["suffices"], _TOO_WEAK))
    return next((words for applies, words in problems if applies), None)


def _load_role(conn: Connection, query: bytes) -> dict[str, Any] | None:
    return conn.execute(query, (WEB_ROLE, OPERATOR_ROLE)).fetchone()
