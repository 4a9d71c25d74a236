"""First people and sign-in links, as commands make them."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from uuid import UUID

from docyard import settings as settings_module
from docyard.cli.installation import Installation
from docyard.cli.options import DEFAULT_WORKSPACE
from docyard.settings import Settings
from docyard.store.people import create_link, get_or_create_owner, get_or_create_workspace, set_role

OWNER = "owner@localhost"


def owner_link(installation: Installation, base_url: str) -> str:
    """A one-time link for the owner of this installation, made with a workspace if there is none yet."""
    with installation.db.transaction() as conn:
        workspace_id = get_or_create_workspace(conn, DEFAULT_WORKSPACE)
        user_id = get_or_create_owner(conn, OWNER)
        set_role(conn, workspace_id, user_id, "admin")
        return f"{base_url}/sign-in?token={create_link(conn, user_id)}"


def link_for(installation: Installation, user_id: UUID, base_url: str, minutes: int) -> str:
    """A one-time link for a person."""
    with installation.db.transaction() as conn:
        return f"{base_url}/sign-in?token={create_link(conn, user_id, minutes)}"


def command_line(settings: Settings, command: str) -> str:
    """A command as it can be typed here, for this very installation."""
    called = Path(sys.argv[0]).absolute()
    program = f"{sys.executable} -m docyard" if called.name == "__main__.py" else shlex.quote(str(called))
    home = f"DOCYARD_HOME={shlex.quote(str(settings.home))} " if settings_module.is_given("home") else ""
    return f"{home}{program} {command}"
