"""Workspaces, users, roles, sign-in links and sessions; tokens are stored only as hashes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from uuid import UUID

import psycopg

from docyard.db import Connection, Queries
from docyard.errors import BadInput, NotFound
from docyard.ids import new_token

_SQL = Queries("docyard.store", "users.sql")
SESSION_DAYS = 30
ROLES = ("viewer", "editor", "admin")


@dataclass(frozen=True, slots=True)
class Identity:
    """The user of a session, with workspace and rights."""

    user_id: UUID
    email: str
    workspace_id: UUID
    workspace_name: str
    role: str
    csrf_token: str
    operator: bool = False  # may monitor all workspaces, but only on the Operations page

    @property
    def may_edit(self) -> bool:
        """Whether the user may add, retry and delete documents."""
        return self.role in ("editor", "admin")


def get_or_create_workspace(conn: Connection, name: str) -> UUID:
    """Return the id of the workspace with this name; create it if it is missing."""
    return _get_or_create(conn, "get_or_create_workspace", name=name.strip())


def list_workspaces(conn: Connection) -> dict[str, UUID]:
    """Return all workspaces by name, oldest first."""
    return {row["name"]: row["id"] for row in conn.execute(_SQL["list_workspaces"])}


def get_or_create_user(conn: Connection, email: str) -> UUID:
    """Return the id of the user with this email address; create the user if missing."""
    return _get_or_create(conn, "get_or_create_user", email=email.strip())


def get_or_create_owner(conn: Connection, email: str) -> UUID:
    """Return the id of the user with this email address; create the user as an operator if missing."""
    return _get_or_create(conn, "get_or_create_owner", email=email.strip())


def set_operator(conn: Connection, email: str, *, operator: bool) -> None:
    """Grant or revoke the operator right of a user."""
    params = {"email": email.strip(), "operator": operator}
    if conn.execute(_SQL["set_operator"], params).fetchone() is None:
        raise NotFound(f"There is no user with the email address {email!r}.")


def set_role(conn: Connection, workspace_id: UUID, user_id: UUID, role: str) -> None:
    """Set the role of a user in a workspace."""
    if role not in ROLES:
        raise BadInput(f"There is no role {role!r}; choose one of {', '.join(ROLES)}.")
    conn.execute(_SQL["set_role"], {"workspace_id": workspace_id, "user_id": user_id, "role": role})


def find_user(conn: Connection, email: str) -> UUID:
    """Return the id of the user with this email address; raise NotFound if there is none."""
    row = conn.execute(_SQL["find_user"], {"email": email.strip()}).fetchone()
    if row is None:
        raise NotFound(f"There is no user with the email address {email!r}.")
    return UUID(str(row["id"]))


def get_role(conn: Connection, workspace_id: UUID, user_id: UUID) -> str | None:
    """Return the role of a user in a workspace, or None."""
    row = conn.execute(_SQL["get_role"], {"workspace_id": workspace_id, "user_id": user_id}).fetchone()
    return row["role"] if row else None


def remove_role(conn: Connection, workspace_id: UUID, user_id: UUID) -> None:
    """Remove the role of a user in a workspace, which ends the user's sessions there."""
    params = {"workspace_id": workspace_id, "user_id": user_id}
    if conn.execute(_SQL["remove_role"], params).fetchone() is None:
        raise NotFound("The user has no role in this workspace.")


def list_people(conn: Connection) -> list[dict[str, object]]:
    """Return all users with their workspaces and roles (email, workspace, role, operator)."""
    return list(conn.execute(_SQL["list_people"]))


def create_link(conn: Connection, user_id: UUID, minutes: int = 15) -> str:
    """Create a sign-in link and return its token, which can be used once."""
    token = new_token()
    conn.execute(_SQL["create_link"], {"token_hash": _hash(token), "user_id": user_id, "minutes": minutes})
    return token


def drop_expired(conn: Connection) -> None:
    """Delete expired sign-in links and sessions."""
    conn.execute(_SQL["drop_expired"])


def is_link_valid(conn: Connection, token: str) -> bool:
    """Return whether a sign-in link is valid, without using it."""
    row = conn.execute(_SQL["is_link_valid"], {"token_hash": _hash(token)}).fetchone()
    return bool(row and row["good"])


def redeem_link(conn: Connection, token: str) -> str | None:
    """Use a sign-in link and return a session token; None if it is invalid, or kept because the user has no role."""
    session = new_token()
    params = {"link_hash": _hash(token), "session_hash": _hash(session), "csrf": new_token(), "days": SESSION_DAYS}
    row = conn.execute(_SQL["redeem_link"], params).fetchone()
    return session if row and row["opened"] else None


def get_identity(conn: Connection, session: str) -> Identity | None:
    """Return the identity of a session, or None if it is not valid."""
    row = conn.execute(_SQL["get_identity"], {"session_hash": _hash(session)}).fetchone()
    return Identity(**row) if row else None


def session_workspaces(conn: Connection, session: str) -> list[dict[str, object]]:
    """Return the workspaces (id, name, role) that the session can switch to."""
    return list(conn.execute(_SQL["session_workspaces"], {"session_hash": _hash(session)}))


def switch_session(conn: Connection, session: str, workspace_id: UUID) -> bool:
    """Switch a session to another workspace; return False if the user has no role there."""
    params = {"session_hash": _hash(session), "workspace_id": workspace_id}
    row = conn.execute(_SQL["switch_session"], params).fetchone()
    return bool(row and row["switched"])


def end_session(conn: Connection, session: str) -> None:
    """Delete a session."""
    conn.execute(_SQL["end_session"], {"session_hash": _hash(session)})


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _get_or_create(conn: Connection, query: str, **params: object) -> UUID:
    try:
        row = conn.execute(_SQL[query], params).fetchone()
    except psycopg.errors.CheckViolation as error:
        field, value = next(iter(params.items()))
        raise BadInput(f"{value!r} is not a valid {field}.") from error
    # Another transaction may have inserted the row concurrently; the second attempt finds it.
    return UUID(str(row["id"])) if row else _get_or_create(conn, query, **params)
