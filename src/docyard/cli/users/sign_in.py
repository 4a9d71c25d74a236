"""`docyard sign-in`: print a one-time sign-in link."""

from __future__ import annotations

import click

from docyard.cli.installation import open_installation, public_url
from docyard.cli.run.up_lock import read_running_port
from docyard.cli.users.links import create_owner_link, create_user_link
from docyard.settings import Settings
from docyard.store.users import find_user

_MINUTES_PER_DAY = 24 * 60


@click.command("sign-in")
@click.argument("email", required=False)
@click.pass_obj
def sign_in(settings: Settings, email: str | None) -> None:
    """Print a one-time sign-in link for the user EMAIL.

    Without EMAIL, the link is for the owner of this installation.
    """
    with open_installation(settings) as installation:
        base = public_url(settings, read_running_port(settings.home) or settings.port)
        if email is None:
            return click.echo(create_owner_link(installation, base))
        with installation.db.transaction() as conn:
            user_id = find_user(conn, email)
        return click.echo(create_user_link(installation, user_id, base, _MINUTES_PER_DAY))
