"""Sign-in links for the owner and other users, and shell commands to show to users."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from uuid import UUID

from docyard import settings as settings_module
from docyard.cli.installation import Installation
from docyard.cli.options import DEFAULT_WORKSPACE
from docyard.settings import Settings
from docyard.store.users import create_link, get_or_create_owner, get_or_create_workspace, set_role

OWNER = "owner@localhost"


def create_owner_link(installation: Installation, base_url: str) -> str:
    """Create a one-time sign-in link for the owner, who becomes an admin of the default workspace.

    The owner and the workspace are created if they do not exist.
    """
    with installation.db.transaction() as conn:
        workspace_id = get_or_create_workspace(conn, DEFAULT_WORKSPACE)
        user_id = get_or_create_owner(conn, OWNER)
        set_role(conn, workspace_id, user_id, "admin")
        return f"{base_url}/sign-in?token={create_link(conn, user_id)}"


def create_user_link(installation: Installation, user_id: UUID, base_url: str, minutes: int) -> str:
    """Create a one-time sign-in link for a user; the link is valid for `minutes`."""
    with installation.db.transaction() as conn:
        return f"{base_url}/sign-in?token={create_link(conn, user_id, minutes)}"


def format_command(settings: Settings, command: str) -> str:
    """Return a shell command that runs `docyard` with this subcommand for this installation."""
    program_path = Path(sys.argv[0]).absolute()
    program = f"{sys.executable} -m docyard" if program_path.name == "__main__.py" else shlex.quote(str(program_path))
    home = f"DOCYARD_HOME={shlex.quote(str(settings.home))} " if settings_module.is_set("home") else ""
    return f"{home}{program} {command}"
