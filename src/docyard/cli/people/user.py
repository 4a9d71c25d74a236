"""`docyard user`: people and their roles."""

from __future__ import annotations

from uuid import UUID

import click

from docyard.cli.installation import opened, public_url
from docyard.cli.options import json_option, workspace_named, workspace_option
from docyard.cli.output import print_json, print_table
from docyard.cli.people.links import link_for
from docyard.cli.run.running import running_port
from docyard.db import Connection
from docyard.settings import Settings
from docyard.store.people import (
    ROLES,
    get_or_create_user,
    get_or_create_workspace,
    list_people,
    remove_role,
    role_of,
    set_operator,
    set_role,
    user_with,
)

_DAY = 24 * 60


@click.group()
def user() -> None:
    """People and their roles."""


@user.command()
@click.argument("email")
@click.option("--role", type=click.Choice(ROLES), help="Role in the workspace [viewer, or as it was].")
@click.option("--create", is_flag=True, help="Make the workspace if there is none of that name.")
@workspace_option
@click.pass_obj
def add(settings: Settings, email: str, role: str | None, workspace: str, create: bool) -> None:
    """Give a person a role in a workspace and print their one-time sign-in link."""
    with opened(settings) as installation:
        with installation.db.transaction() as conn:
            user_id, given = _invite(conn, email, role, workspace, create=create)
        base = public_url(settings, running_port(settings.home) or settings.port)
        link = link_for(installation, user_id, base, _DAY)
    click.echo(f"{email} is {given} of {workspace}. Link, good once within a day:\n{link}")


@user.command()
@click.argument("email")
@workspace_option
@click.pass_obj
def remove(settings: Settings, email: str, workspace: str) -> None:
    """Take a person's role in a workspace away, and end their sessions there."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        remove_role(conn, workspace_named(conn, workspace), user_with(conn, email))
    click.echo(f"{email} has no role in {workspace} any more.")


@user.command()
@click.argument("email")
@click.option("--revoke", is_flag=True, help="Take the right away.")
@click.pass_obj
def operator(settings: Settings, email: str, revoke: bool) -> None:
    """Let a person look after all workspaces on the Operations page."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        set_operator(conn, email, operator=not revoke)
    click.echo(f"{email} is {'no longer an' if revoke else 'an'} operator.")


@user.command("list")
@json_option
@click.pass_obj
def list_users(settings: Settings, as_json: bool) -> None:
    """List people with their workspaces and roles."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        people = list_people(conn)
    if as_json:
        return print_json(people)
    rows = [(p["email"], p["workspace"], p["role"], "yes" if p["operator"] else "") for p in people]
    return print_table(("Person", "Workspace", "Role", "Operator"), rows, "Nobody yet.")


def _invite(
    conn: Connection, email: str, role: str | None, workspace: str, *, create: bool
) -> tuple[UUID, str]:
    """A role that was given before is only changed when one is named."""
    user_id = get_or_create_user(conn, email)
    workspace_id = get_or_create_workspace(conn, workspace) if create else workspace_named(conn, workspace)
    given = role or role_of(conn, workspace_id, user_id) or "viewer"
    set_role(conn, workspace_id, user_id, given)
    return user_id, given
