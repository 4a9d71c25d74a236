"""First people and sign-in links, as commands make them."""

from __future__ import annotations

from docyard.cli.choices import DEFAULT_WORKSPACE
from docyard.cli.opening import Installation
from docyard.store.people import create_link, get_or_create_user, get_or_create_workspace, set_role

OWNER = "owner@localhost"


def owner_link(installation: Installation, base_url: str) -> str:
    """A one-time link for the owner of this installation, made with a workspace if there is none yet."""
    with installation.db.transaction() as conn:
        workspace_id = get_or_create_workspace(conn, DEFAULT_WORKSPACE)
        user_id = get_or_create_user(conn, OWNER)
        set_role(conn, workspace_id, user_id, "admin")
        return f"{base_url}/sign-in?token={create_link(conn, user_id)}"
