"""`docyard user`: people and their roles."""

from __future__ import annotations

import click

from docyard.cli.choices import workspace_option
from docyard.cli.opening import opened, public_url
from docyard.cli.running import running_port
from docyard.settings import Settings
from docyard.store.people import ROLES, create_link, get_or_create_user, get_or_create_workspace, set_role

_DAY = 24 * 60


@click.group()
def user() -> None:
    """People and their roles."""


@user.command()
@click.argument("email")
@click.option("--role", type=click.Choice(ROLES), default="viewer", show_default=True)
@workspace_option
@click.pass_obj
def add(settings: Settings, email: str, role: str, workspace: str) -> None:
    """Give a person a role in a workspace, made if new, and print their one-time sign-in link."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        user_id = get_or_create_user(conn, email)
        set_role(conn, get_or_create_workspace(conn, workspace), user_id, role)
        token = create_link(conn, user_id, minutes=_DAY)
        base = public_url(settings, running_port(settings.home) or settings.port)
    click.echo(
        f"{email} is {role} of {workspace}. Link, good once within a day:\n{base}/sign-in?token={token}"
    )
