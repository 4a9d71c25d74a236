"""Workspaces, people, roles, sign-in links and sessions; only hashes of secrets are kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from uuid import UUID

import psycopg

from docyard.db import Connection, Queries
from docyard.errors import BadInput, NotFound
from docyard.ids import new_token

_SQL = Queries("docyard.store", "people.sql")
SESSION_DAYS = 30
ROLES = ("viewer", "editor", "admin")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks, in which workspace, with which rights."""

    user_id: UUID
    email: str
    workspace_id: UUID
    workspace_name: str
    role: str
    csrf_token: str
    operator: bool = False  # may look after all workspaces, on the operators' page alone

    @property
    def may_edit(self) -> bool:
        """Whether this person may add, retry and delete documents."""
        return self.role in ("editor", "admin")


def get_or_create_workspace(conn: Connection, name: str) -> UUID:
    """The workspace of that name."""
    return _one(conn, "get_or_create_workspace", name=name.strip())


def list_workspaces(conn: Connection) -> dict[str, UUID]:
    """Every workspace by name, oldest first."""
    return {row["name"]: row["id"] for row in conn.execute(_SQL["list_workspaces"])}


def get_or_create_user(conn: Connection, email: str) -> UUID:
    """The person with that address."""
    return _one(conn, "get_or_create_user", email=email.strip())


def get_or_create_owner(conn: Connection, email: str) -> UUID:
    """The person who installed Docyard, made an operator when new."""
    return _one(conn, "get_or_create_owner", email=email.strip())


def set_operator(conn: Connection, email: str, *, operator: bool) -> None:
    """Let a person look after all workspaces, or no longer."""
    given = {"email": email.strip(), "operator": operator}
    if conn.execute(_SQL["set_operator"], given).fetchone() is None:
        raise NotFound(f"There is nobody with the address {email!r}.")


def set_role(conn: Connection, workspace_id: UUID, user_id: UUID, role: str) -> None:
    """Give a person a role in a workspace."""
    if role not in ROLES:
        raise BadInput(f"There is no role {role!r}; the roles are {', '.join(ROLES)}.")
    conn.execute(_SQL["set_role"], {"workspace_id": workspace_id, "user_id": user_id, "role": role})


def user_with(conn: Connection, email: str) -> UUID:
    """The person with that address, or NotFound."""
    row = conn.execute(_SQL["user_with"], {"email": email.strip()}).fetchone()
    if row is None:
        raise NotFound(f"There is nobody with the address {email!r}.")
    return UUID(str(row["id"]))


def role_of(conn: Connection, workspace_id: UUID, user_id: UUID) -> str | None:
    """A person's role in a workspace."""
    row = conn.execute(_SQL["role_of"], {"workspace_id": workspace_id, "user_id": user_id}).fetchone()
    return row["role"] if row else None


def remove_role(conn: Connection, workspace_id: UUID, user_id: UUID) -> None:
    """Take a role away, and with it the sessions there."""
    given = {"workspace_id": workspace_id, "user_id": user_id}
    if conn.execute(_SQL["remove_role"], given).fetchone() is None:
        raise NotFound("That person has no role there.")


def list_people(conn: Connection) -> list[dict[str, object]]:
    """Everybody (email, workspace, role, operator)."""
    return list(conn.execute(_SQL["list_people"]))


def create_link(conn: Connection, user_id: UUID, minutes: int = 15) -> str:
    """A token that signs its bearer in once."""
    token = new_token()
    conn.execute(_SQL["create_link"], {"token_hash": _hash(token), "user_id": user_id, "minutes": minutes})
    return token


def drop_expired(conn: Connection) -> None:
    """Forget links and sessions that are over."""
    conn.execute(_SQL["drop_expired"])


def link_is_good(conn: Connection, token: str) -> bool:
    """Whether this link can still be used; looking does not use it up."""
    row = conn.execute(_SQL["link_is_good"], {"token_hash": _hash(token)}).fetchone()
    return bool(row and row["good"])


def redeem_link(conn: Connection, token: str) -> str | None:
    """Use a link up; gives the session's token, or None when the link was used or is too old."""
    session = new_token()
    given = {
        "link_hash": _hash(token),
        "session_hash": _hash(session),
        "csrf": new_token(),
        "days": SESSION_DAYS,
    }
    row = conn.execute(_SQL["redeem_link"], given).fetchone()
    return session if row and row["opened"] else None


def identity(conn: Connection, session: str) -> Identity | None:
    """Who this session belongs to."""
    row = conn.execute(_SQL["identity"], {"session_hash": _hash(session)}).fetchone()
    return Identity(**row) if row else None


def session_workspaces(conn: Connection, session: str) -> list[dict[str, object]]:
    """The workspaces (id, name, role) this session may switch to."""
    return list(conn.execute(_SQL["session_workspaces"], {"session_hash": _hash(session)}))


def switch_session(conn: Connection, session: str, workspace_id: UUID) -> bool:
    """Move to another workspace; False when the person does not belong there."""
    given = {"session_hash": _hash(session), "workspace_id": workspace_id}
    row = conn.execute(_SQL["switch_session"], given).fetchone()
    return bool(row and row["switched"])


def end_session(conn: Connection, session: str) -> None:
    """Sign out."""
    conn.execute(_SQL["end_session"], {"session_hash": _hash(session)})


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _one(conn: Connection, query: str, **given: object) -> UUID:
    try:
        row = conn.execute(_SQL[query], given).fetchone()
    except psycopg.errors.CheckViolation as error:
        raise BadInput(f"{next(iter(given.values()))!r} cannot be used here.") from error
    # Another transaction may have made it between our two looks; then it is there now.
    return UUID(str(row["id"])) if row else _one(conn, query, **given)
