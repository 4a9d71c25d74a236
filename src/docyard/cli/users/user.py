"""`docyard user`: manage users and their roles."""

from __future__ import annotations

from uuid import UUID

import click

from docyard.cli.installation import open_installation, public_url
from docyard.cli.options import find_workspace, json_option, workspace_option
from docyard.cli.output import print_json, print_table
from docyard.cli.run.up_lock import read_running_port
from docyard.cli.users.links import create_user_link
from docyard.db import Connection
from docyard.settings import Settings
from docyard.store.users import (
    ROLES,
    find_user,
    get_or_create_user,
    get_or_create_workspace,
    get_role,
    list_people,
    remove_role,
    set_operator,
    set_role,
)

_MINUTES_PER_DAY = 24 * 60


@click.group()
def user() -> None:
    """Manage users and their roles."""


@user.command()
@click.argument("email")
@click.option(
    "--role", type=click.Choice(ROLES), help="Role in the workspace (default: the current role, else viewer)."
)
@click.option("--create", is_flag=True, help="Create the workspace if it does not exist.")
@workspace_option
@click.pass_obj
def add(settings: Settings, email: str, role: str | None, workspace: str, create: bool) -> None:
    """Give the user EMAIL a role and print a sign-in link.

    The user is created if there is no user with this address.
    """
    with open_installation(settings) as installation:
        with installation.db.transaction() as conn:
            user_id, granted = _invite(conn, email, role, workspace, create=create)
        base = public_url(settings, read_running_port(settings.home) or settings.port)
        link = create_user_link(installation, user_id, base, _MINUTES_PER_DAY)
    click.echo(f"{email} is {granted} of {workspace}. Sign-in link (valid once, for one day):\n{link}")


@user.command()
@click.argument("email")
@workspace_option
@click.pass_obj
def remove(settings: Settings, email: str, workspace: str) -> None:
    """Remove the role of the user EMAIL in a workspace.

    This ends the sessions of the user there.
    """
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        remove_role(conn, find_workspace(conn, workspace), find_user(conn, email))
    click.echo(f"{email} no longer has a role in {workspace}.")


@user.command()
@click.argument("email")
@click.option("--revoke", is_flag=True, help="Revoke the access instead.")
@click.pass_obj
def operator(settings: Settings, email: str, revoke: bool) -> None:
    """Give the user EMAIL access to the Operations page.

    The page shows the queue of all workspaces, but not the content of documents.
    """
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        set_operator(conn, email, operator=not revoke)
    click.echo(f"{email} is {'no longer an' if revoke else 'an'} operator.")


@user.command("list")
@json_option
@click.pass_obj
def list_users(settings: Settings, as_json: bool) -> None:
    """List users with their workspaces and roles."""
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        users = list_people(conn)
    if as_json:
        return print_json(users)
    rows = [(p["email"], p["workspace"], p["role"], "yes" if p["operator"] else "") for p in users]
    empty = "There are no users. Add one with: docyard user add"
    return print_table(("User", "Workspace", "Role", "Operator"), rows, empty)


def _invite(conn: Connection, email: str, role: str | None, workspace: str, *, create: bool) -> tuple[UUID, str]:
    """Give the user a role, creating the user if needed, and return the user's id and the role."""
    user_id = get_or_create_user(conn, email)
    workspace_id = get_or_create_workspace(conn, workspace) if create else find_workspace(conn, workspace)
    granted = role or get_role(conn, workspace_id, user_id) or "viewer"
    set_role(conn, workspace_id, user_id, granted)
    return user_id, granted
